// The flame view: boxes are laid out once per view; zooming only chooses which box fills the width.
function flameView() {
  const chart = byId("flame-chart");
  if (!chart) return;
  const view = byId("flame-view"), stagePick = byId("flame-stage"), search = byId("flame-search");
  const ROW = 20, laidOut = new Map();
  let boxes = [], focus = -1, active = -1, matches = new Set(), exact = false;

  function layOut(number) {
    if (laidOut.has(number)) return laidOut.get(number);
    const nodes = DATA.flames[number].nodes, found = [], open = [];
    const next = [0];
    for (let i = 0; i < nodes.length; i += 4) {
      const [frame, depth, weight, own] = [nodes[i], nodes[i + 1], nodes[i + 2], nodes[i + 3]];
      const [name, file, line, kind] = DATA.frames[frame];
      open.length = depth;
      const parent = depth ? open[depth - 1] : -1;
      const x = depth ? next[depth] : next[0];
      next[depth] = x + weight;
      next[depth + 1] = x;
      const stage = depth ? found[parent].stage : name;
      open[depth] = found.length;
      found.push({ name, file: DATA.files[file], line, kind: DATA.kinds[kind], depth, weight, own, x, parent, stage, end: 0 });
    }
    for (let i = found.length - 1; i >= 0; i--) {  // where each box's descendants end
      found[i].end = Math.max(found[i].end, i + 1);
      if (found[i].parent >= 0) found[found[i].parent].end = Math.max(found[found[i].parent].end, found[i].end);
    }
    laidOut.set(number, found);
    return found;
  }

  function total() {
    return boxes.reduce((sum, box) => (box.depth === 0 ? sum + box.weight : sum), 0) || 1;
  }

  function render() {
    const width = chart.clientWidth || 300;
    const base = focus < 0 ? { x: 0, weight: total(), depth: -1 } : boxes[focus];
    const ancestors = new Set();
    for (let at = focus; at >= 0; at = boxes[at].parent) ancestors.add(at);
    const shown = document.createDocumentFragment();
    let deepest = 0;
    for (let i = 0; i < boxes.length; i++) {
      const box = boxes[i];
      const above = ancestors.has(i) && i !== focus;
      const inside = focus < 0 || (i >= focus && i < boxes[focus].end);
      if (!above && !inside) continue;
      const left = above ? 0 : ((box.x - base.x) / base.weight) * width;
      const wide = above ? width : (box.weight / base.weight) * width;
      if (wide < 1.5) { i = box.end - 1; continue; }
      deepest = Math.max(deepest, box.depth);
      shown.append(element(box, i, left, wide, above));
    }
    chart.replaceChildren(shown);
    chart.style.height = (deepest + 1) * ROW + 2 + "px";
    if (!chart.querySelector('[tabindex="0"]') && chart.firstChild) chart.firstChild.tabIndex = 0;
    path();
  }

  function element(box, i, left, wide, above) {
    const classes = ["box", paintOf(box.stage).split(" ")[0], "k-" + box.kind];
    if (above) classes.push("above");
    if (wide < 9) classes.push("thin");
    if (matches.has(i)) classes.push("found");
    const item = make("div", { class: classes.join(" "), role: "treeitem", "aria-level": box.depth + 1, "aria-label": told(box), "data-box": i, title: told(box), tabindex: i === active ? 0 : -1 }, wide > 26 ? box.name : "");
    item.style.cssText = `left:${left.toFixed(1)}px;top:${box.depth * ROW}px;width:${Math.max(1, wide).toFixed(1)}px`;
    return item;
  }

  function told(box) {
    const where = box.file ? ` (${box.file}${box.line ? ":" + box.line : ""}, ${box.kind})` : "";
    return `${box.name}${where}: ${percent(box.weight)} ${DATA.flames[view.value].unit}, itself ${percent(box.own)}`;
  }

  function path() {
    const steps = [];
    for (let at = focus; at >= 0; at = boxes[at].parent) steps.unshift(at);
    const trail = byId("flame-path");
    trail.replaceChildren();
    if (!steps.length) return;
    const all = make("button", { type: "button" }, "everything");
    all.addEventListener("click", () => zoom(-1));
    trail.append(all);
    for (const at of steps) {
      const step = make("button", { type: "button" }, boxes[at].name);
      step.addEventListener("click", () => zoom(at));
      trail.append(" › ", step);
    }
  }

  function zoom(i, refocus) {
    focus = i;
    active = i < 0 ? 0 : i;
    const stage = i < 0 ? "" : boxes[i].stage;
    stagePick.value = stage;
    render();
    chart.scrollTop = 0;
    if (refocus) (chart.querySelector(`[data-box="${active}"]`) || chart).focus();
  }

  function find() {
    const wanted = search.value.trim().toLowerCase();
    matches = new Set();
    let share = 0, covered = -1;
    if (wanted) boxes.forEach((box, i) => {
      const name = box.name.toLowerCase(), file = box.file.toLowerCase();
      if (exact ? name !== wanted && !file.endsWith("/" + wanted) : !name.includes(wanted) && !file.includes(wanted)) return;
      matches.add(i);
      if (i >= covered) { share += box.weight; covered = box.end; }  // a match inside a match counts once
    });
    chart.classList.toggle("searching", Boolean(wanted));
    byId("flame-found").textContent = wanted ? `${matches.size} ${matches.size === 1 ? "box" : "boxes"}, ${percent(share)} ${DATA.flames[view.value].unit}` : "";
    render();
  }

  function reset(refocus) {
    search.value = "";
    find();
    zoom(-1, refocus);
  }

  function open(number) {
    boxes = layOut(number);
    stagePick.replaceChildren(make("option", { value: "" }, "all stages"));
    for (const box of boxes) if (box.depth === 0) stagePick.append(make("option", { value: box.name }, `${box.name} (${percent(box.weight)})`));
    focus = -1;
    active = 0;
    const hidden = DATA.flames[number].hidden;
    byId("flame-read").textContent = `${DATA.flames[number].samples} of the run's ${DATA.samples} stack samples` + (hidden ? `; ${hidden} narrow boxes left out` : "");
    find();
  }

  function walk(event) {
    const at = Number(event.target.dataset.box);
    if (Number.isNaN(at)) return;
    const drawn = (i) => chart.querySelector(`[data-box="${i}"]`);
    const level = [...chart.children].filter((item) => boxes[item.dataset.box].depth === boxes[at].depth);
    const place = level.indexOf(event.target);
    const below = [...chart.children].find((item) => boxes[item.dataset.box].parent === at);
    const to = { ArrowLeft: level[place - 1], ArrowRight: level[place + 1], ArrowUp: drawn(boxes[at].parent), ArrowDown: below }[event.key];
    if (event.key === "Enter" || event.key === " ") zoom(at, true);
    else if (event.key === "Escape") reset(true);
    else if (!to) { if (!event.key.startsWith("Arrow")) return; }
    else { event.target.tabIndex = -1; to.tabIndex = 0; active = Number(to.dataset.box); to.focus(); }
    event.preventDefault();
  }

  function read(event) {
    const at = event.target.dataset.box;
    if (at !== undefined) byId("flame-read").textContent = told(boxes[at]);
  }

  DATA.flames.forEach((flame, i) => view.append(make("option", { value: i }, flame.name)));
  chart.addEventListener("click", (event) => event.target.dataset.box !== undefined && zoom(Number(event.target.dataset.box)));
  chart.addEventListener("keydown", walk);
  document.addEventListener("keydown", (event) => {  // after a zoom by mouse or a link no box has the focus
    if (event.key === "Escape" && !event.defaultPrevented && (focus >= 0 || search.value)) reset(false);
  });
  document.querySelectorAll("a[data-find]").forEach((link) => link.addEventListener("click", () => {
    view.value = "0";
    exact = true;
    for (const wanted of [link.dataset.find, link.dataset.file]) {  // outer functions are no boxes: then all of the file
      if (!wanted) continue;
      search.value = wanted;
      open(0);
      if (matches.size) break;
    }
  }));
  chart.addEventListener("pointerover", read);
  chart.addEventListener("focusin", read);
  view.addEventListener("change", () => open(Number(view.value)));
  stagePick.addEventListener("change", () => zoom(stagePick.value ? boxes.findIndex((box) => box.depth === 0 && box.name === stagePick.value) : -1));
  search.addEventListener("input", () => { exact = false; find(); });
  byId("flame-reset").addEventListener("click", () => reset(false));
  open(0);
  whenResized(chart, render);
}
flameView();
