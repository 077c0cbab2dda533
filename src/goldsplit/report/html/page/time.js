// As in the bar of the verdict; crossed lines mean that nothing was recorded, which is something else.
const NO_STAGE_PAINT = "c-none s0";

// Stacked time by stage, window by window, with the speed as a line.
function timeChart() {
  const place = byId("time-chart");
  if (!place) return;
  const windows = DATA.windows, height = 290, top = 24, bottom = 26, left = 44;
  const rates = windows.map((w) => w.rate).filter((rate) => rate !== null);
  const right = rates.length ? 52 : 14;
  const fastest = Math.max(...rates, 0) * 1.1 || 1;
  const stages = DATA.order.filter((stage) => windows.some((w) => (w.stages[stage] || 0) > 0));
  const end = Math.max(DATA.steady[1], DATA.wall);
  let chosen = -1, layout = null, labels = [];

  // Windows that follow each other: between two runs of them nothing was recorded (the deep look was on).
  const runs = [];
  windows.forEach((w, i) => {
    const before = windows[i - 1];
    if (!before || w.start - (before.start + before.seconds) > 0.02 + 0.001 * end) runs.push([]);
    runs[runs.length - 1].push(i);
  });
  const begins = new Set(runs.map((run) => run[0]));

  function redraw() {
    const width = Math.max(280, place.clientWidth);
    const x = (t) => left + (t / end) * (width - left - right);
    const y = (share) => top + (1 - share) * (height - top - bottom);
    layout = { x, y };
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, height, "aria-hidden": "true" });
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      svg.append(draw("line", { x1: left, x2: width - right, y1: y(share), y2: y(share), class: "grid" }));
      svg.append(draw("text", { x: left - 6, y: y(share) + 4, "text-anchor": "end" }, Math.round(share * 100) + " %"));
    }
    svg.append(draw("text", { x: 2, y: 12 }, "share of wall time"));
    aside(svg, x, y, 0, DATA.steady[0], DATA.aside[0]);
    aside(svg, x, y, DATA.steady[1], end, DATA.aside[1]);
    for (let i = 1; i < runs.length; i++) {
      const last = windows[runs[i - 1][runs[i - 1].length - 1]];
      aside(svg, x, y, last.start + last.seconds, windows[runs[i][0]].start, "not recorded");
    }
    labels = [];
    bands(svg, x, y);
    for (const t of timeTicks(end, width / 110)) svg.append(draw("text", { x: x(t), y: height - 8, "text-anchor": "middle" }, clock(t)));
    if (rates.length) speed(svg, x, y, width);
    for (const [name, parts] of labels) label(svg, y, name, parts);
    svg.append(draw("rect", { class: "cursor", visibility: "hidden" }));
    place.replaceChildren(svg);
    if (chosen >= 0) choose(chosen);
  }

  function aside(svg, x, y, from, to, name) {
    if (x(to) - x(from) < 1) return;
    const area = draw("rect", { x: x(from), y: y(1), width: x(to) - x(from), height: y(0) - y(1), fill: "url(#crossed)", opacity: 0.6, class: "aside" });
    area.append(draw("title", {}, name));
    svg.append(area);
    if (x(to) - x(from) > 60) svg.append(draw("text", { x: (x(from) + x(to)) / 2, y: y(0.5), "text-anchor": "middle" }, name));
  }

  // One outline per stage: its top edge from left to right, its bottom edge back.
  function bands(svg, x, y) {
    const floor = windows.map(() => 0);
    for (const stage of [...stages, ""]) {
      const parts = windows.map((w, i) => {
        const from = floor[i];
        floor[i] = Math.min(1, from + (stage ? w.stages[stage] || 0 : w.rest));
        return { left: x(w.start), right: x(w.start + w.seconds), from, to: floor[i] };
      });
      if (!parts.some((part) => part.to > part.from)) continue;
      const d = runs.map((run) => outline(run.map((i) => parts[i]), y)).join("");
      const path = draw("path", { d, class: "band " + (stage ? paintOf(stage) : NO_STAGE_PAINT) });
      path.append(draw("title", {}, stage || "(no stage)"));
      svg.append(path);
      labels.push([stage || "(no stage)", parts]);
    }
  }

  function outline(parts, y) {
    const there = parts.map((part) => `${part.left.toFixed(1)} ${y(part.to).toFixed(1)}H${part.right.toFixed(1)}`);
    const back = [...parts].reverse().map((part) => `${part.right.toFixed(1)} ${y(part.from).toFixed(1)}H${part.left.toFixed(1)}`);
    return "M" + [...there, ...back].join("L") + "Z";
  }

  // Names are written into the bands where there is room, so that colour is not the only key.
  function label(svg, y, name, parts) {
    const half = name.length * 3.5 + 4;
    let best = { room: 0 };
    for (const part of parts) {
      const centre = (part.left + part.right) / 2;
      if (centre - half < parts[0].left || centre + half > parts[parts.length - 1].right) continue;
      const under = parts.filter((other) => other.right > centre - half && other.left < centre + half);
      const low = Math.max(...under.map((other) => other.from)), high = Math.min(...under.map((other) => other.to));
      const room = y(low) - y(high);
      if (room > best.room) best = { room, centre, middle: (y(low) + y(high)) / 2 };
    }
    if (best.room >= 14) svg.append(draw("text", { x: best.centre, y: best.middle + 4, "text-anchor": "middle", class: "on" }, name));
  }

  function speed(svg, x, y, width) {
    const yRate = (rate) => y(rate / fastest);
    let path = "";
    windows.forEach((w, i) => {
      if (w.rate === null) return;
      const joined = i > 0 && !begins.has(i) && windows[i - 1].rate !== null && path;
      path += `${joined ? "L" : "M"}${x(w.start + w.seconds / 2).toFixed(1)} ${yRate(w.rate).toFixed(1)}`;
    });
    svg.append(draw("path", { d: path, class: "rate-edge" }), draw("path", { d: path, class: "rate" }));
    svg.append(draw("text", { x: width - 2, y: 12, "text-anchor": "end" }, "env steps/s (line)"));
    if (windows.length <= 24) for (const w of windows) if (w.rate !== null) svg.append(draw("circle", { cx: x(w.start + w.seconds / 2), cy: yRate(w.rate), r: 3.2, class: "rate-dot" }));
    for (const rate of ticks(0, fastest, 4)) svg.append(draw("text", { x: width - right + 6, y: yRate(rate) + 4 }, short(rate)));
  }

  function choose(i) {
    chosen = Math.min(Math.max(i, 0), windows.length - 1);
    const w = windows[chosen], cursor = place.querySelector(".cursor"), { x, y } = layout;
    const where = { x: x(w.start), y: y(1), width: x(w.start + w.seconds) - x(w.start), height: y(0) - y(1), visibility: "visible" };
    for (const name in where) cursor.setAttribute(name, where[name]);
    const parts = stages.filter((stage) => (w.stages[stage] || 0) >= 0.005).sort((a, b) => w.stages[b] - w.stages[a]).map((stage) => `${stage} ${percent(w.stages[stage])}`);
    if (w.rest >= 0.005) parts.push(`(no stage) ${percent(w.rest)}`);
    const rate = w.rate === null ? "" : `, ${short(w.rate)} env steps/s`;
    byId("time-read").textContent = `${clock(w.start)} to ${clock(w.start + w.seconds)}${rate}: ${parts.join(", ")}`;
  }

  place.addEventListener("pointermove", (event) => {
    const box = place.getBoundingClientRect(), scale = Math.max(280, place.clientWidth) / box.width;
    const at = (event.clientX - box.left) * scale;
    const i = windows.findIndex((w) => at >= layout.x(w.start) && at < layout.x(w.start + w.seconds));
    if (i >= 0 && i !== chosen) choose(i);
  });
  place.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    choose(chosen < 0 ? 0 : chosen + step);
  });
  const shown = stages.map((stage) => [stage, paintOf(stage)]);
  if (windows.some((w) => w.rest > 0.01)) shown.push(["(no stage)", NO_STAGE_PAINT]);
  for (const [name, paint] of shown) {
    const item = make("li", {});
    item.append(make("i", { class: "swatch " + paint, "aria-hidden": "true" }), name);
    byId("time-legend").append(item);
  }
  if (runs.length > 1) {
    const item = make("li", {}), key = draw("svg", { class: "key", "aria-hidden": "true" });
    key.append(draw("rect", { width: "100%", height: "100%", fill: "url(#crossed)" }));
    item.append(key, "not recorded");
    byId("time-legend").append(item);
  }
  whenResized(place, redraw);
}
timeChart();
