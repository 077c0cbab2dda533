"use strict";
// Shared by all charts. Text from the run only ever becomes textContent or an attribute, never HTML.
const DATA = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

function make(tag, attributes, text) {
  const element = document.createElement(tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  if (text !== undefined) element.textContent = text;
  return element;
}

function draw(tag, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  if (text !== undefined) element.textContent = text;
  return element;
}

function percent(share) {
  const value = 100 * share;
  if (value === 0) return "0 %";
  if (value < 0.1) return "<0.1 %";
  return (value >= 9.95 ? value.toFixed(0) : value.toFixed(1)) + " %";
}

function short(value) {
  if (value === 0) return "0";
  if (value >= 10000) return Math.round(value / 1000) + "k";
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

const trim = (value) => (value < 100 && Math.abs(value - Math.round(value)) > 0.04 ? value.toFixed(1) : value.toFixed(0));

function clock(seconds) {
  if (seconds > 0 && seconds < 1) return (1000 * seconds).toFixed(0) + " ms";
  if (seconds >= 5400) return trim(seconds / 3600) + " h";
  return seconds >= 120 ? trim(seconds / 60) + " min" : trim(seconds) + " s";
}

function paintOf(stage) {
  const how = DATA.paint[stage] || ["none", 0];
  return "c-" + how[0] + " s" + how[1];
}

// Round numbers for an axis.
function ticks(from, to, wanted) {
  const raw = (to - from) / Math.max(1, wanted) || 1;
  const size = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = [1, 2, 5, 10].map((n) => n * size).find((n) => n >= raw) || 10 * size;
  const found = [];
  for (let at = Math.ceil(from / step) * step; at <= to + step / 1e6; at += step) found.push(at);
  return found;
}

// The same for seconds, minutes and hours.
function timeTicks(to, wanted) {
  const steps = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400];
  const step = to < 30 ? 0 : steps.find((n) => to / n <= wanted);
  if (!step) return ticks(0, to, wanted);
  return Array.from({ length: Math.floor(to / step) + 1 }, (_, i) => i * step);
}

// The other colours than the system's: the same rules, switched on or off by hand.
byId("theme").addEventListener("click", () => {
  const rules = [...document.styleSheets[0].cssRules].filter((rule) => rule.media && rule.cssRules[0].selectorText === ":root" && !rule.media.mediaText.includes("print"));
  const dark = getComputedStyle(document.documentElement).getPropertyValue("--dark").trim() !== "1";
  for (const rule of rules) rule.media.mediaText = dark ? "all" : "not all";
  document.documentElement.style.colorScheme = dark ? "dark" : "light";
});

// Redraw when the width changes, not more often than the screen does.
function whenResized(element, redraw) {
  let width = 0;
  redraw();
  new ResizeObserver(() => {
    if (element.clientWidth === width) return;
    width = element.clientWidth;
    requestAnimationFrame(redraw);
  }).observe(element);
}
