// Each thread's strip: per window a column of busy, barrier and waiting, from the bottom up. Between windows
// that do not touch nothing was recorded: that is not the same as an idle thread.
function strip(svg, cells) {
  const begin = DATA.steady[0], length = DATA.steady[1] - begin || 1;
  const width = svg.clientWidth || 300, height = svg.clientHeight || 26;
  const shapes = { busy: "", barrier: "", wait: "", missing: "" };
  const pixel = (t) => Math.round((width * (t - begin)) / length);
  cells.forEach(([start, seconds, busy, wait, barrier], i) => {
    const next = cells[i + 1], end = start + seconds;
    const touches = next && Math.abs(next[0] - end) < 0.05 * seconds;  // then no seam between the two
    const left = pixel(start), wide = pixel(touches ? next[0] : end) - left;
    let floor = height;
    for (const [name, share] of [["busy", busy], ["barrier", barrier || 0], ["wait", Math.max(0, wait - (barrier || 0))]]) {
      const tall = Math.min(floor, height * share);
      if (tall > 0) shapes[name] += `M${left} ${floor.toFixed(1)}h${wide}v${-tall.toFixed(1)}h${-wide}Z`;
      floor -= tall;
    }
    if (next && !touches && pixel(next[0]) > left + wide) shapes.missing += `M${left + wide} 0H${pixel(next[0])}V${height}H${left + wide}Z`;
  });
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren(draw("path", { d: shapes.busy, class: "f-busy" }), draw("path", { d: shapes.barrier, fill: "url(#dotted)" }), draw("path", { d: shapes.wait, fill: "url(#striped)" }), draw("path", { d: shapes.missing, fill: "url(#crossed)", class: "missing" }));
}

if (byId("strips")) {
  const drawings = document.querySelectorAll(".strip .cells");
  whenResized(byId("strips"), () => drawings.forEach((svg, i) => strip(svg, DATA.strips[i])));
}
