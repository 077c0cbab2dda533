// Tables sort by their heads and filter by whose code it is; commands are copied.
document.querySelectorAll("table[data-sortable]").forEach((table) => {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.firstElementChild.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") !== "descending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = (row) => row.cells[column].dataset.order || "";
    const numeric = head.classList.contains("number");
    const rows = [...table.tBodies[0].rows].sort((a, b) => {
      const [first, second] = [key(a), key(b)];
      if (numeric && (first === "" || second === "")) return (first === "") - (second === "");  // not measured: last
      const order = numeric ? Number(first) - Number(second) : first.localeCompare(second, undefined, { numeric: true });
      return down ? -order : order;
    });
    table.tBodies[0].append(...rows);
  }));
});

document.querySelectorAll("button.filter").forEach((button) => button.addEventListener("click", () => {
  document.querySelectorAll("button.filter").forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
  for (const row of byId("hotspot-table").tBodies[0].rows) row.hidden = Boolean(button.dataset.kind) && row.dataset.kind !== button.dataset.kind;
}));

document.querySelectorAll("button.copy").forEach((button) => button.addEventListener("click", async () => {
  let copied = true;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {  // not allowed for this page: the old way, through a selection
    const field = make("textarea", {});
    field.value = button.dataset.copy;
    button.after(field);
    field.select();
    copied = document.execCommand("copy");
    field.remove();
  }
  button.textContent = copied ? "Copied" : "Select it by hand";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}));

// A link to a source line opens the file that it is in; not every browser does that by itself.
document.querySelectorAll('a[href^="#source-"]').forEach((link) => link.addEventListener("click", () => {
  const row = byId(link.hash.slice(1)), fold = row && row.closest("details");
  if (fold) fold.open = true;
}));

// Names that do not fit into the bar over all stages are in its table.
function fitStageBar() {
  document.querySelectorAll(".stage-bar span").forEach((part) => part.classList.toggle("tiny", part.clientWidth < 54));
}
const stageBar = document.querySelector(".stage-bar");
if (stageBar) whenResized(stageBar, fitStageBar);

// On paper nothing can be opened. The windows' table is wider than any paper; their chart is printed.
addEventListener("beforeprint", () => document.querySelectorAll("details:not([data-table-of=time])").forEach((fold) => { fold.open = true; }));
