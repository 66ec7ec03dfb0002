// What was searched before, newest first, by the list that was searched.
const searches = {
  all: [],
  of: (path, name) => [...new Set(searches.all
    .filter(({ source, list, parameters }) =>
      `${source}/${list}` === path && Object.keys(parameters).join() === name)
    .map(({ term }) => term))],
  async load() {
    try {
      searches.all = (await ask("/v1/history")).searches;
      suggest();
    } catch (error) {
      // Without it the page only suggests nothing.
      if (error.status === 401 || error.status === 403) hideFavorites();
    }
  },
};

// Where the service keeps nothing of its visitors (userData), nothing leads there.
function hideFavorites() {
  hasFavorites = false;
  showSections();
}

let hasFavorites = true;

function showSections() {
  const { section } = readView();
  const shown = sections.filter(({ id }) => hasFavorites || id !== "favorites");
  $("sections").replaceChildren(...shown.map((other) => {
    const link = make("a", { href: viewAddress({ section: other }) }, other.name);
    if (other === section) link.setAttribute("aria-current", "page");
    return link;
  }));
}

const grid = new Grid((index) => detail.open(index));
const detail = new Detail(grid);

function go(view) {
  history.pushState(null, "", viewAddress(view));
  show();
}

function show() {
  const view = readView();
  const { section } = view;
  document.title = `${section.name} – Vitrine`;
  showSections();
  $("term").hidden = !section.search;
  $("term").placeholder = section.hint ?? "";
  $("term").value = view.term;
  const lists = section.browse?.length > 1 && !view.term ? section.browse : [];
  $("list").hidden = lists.length === 0;
  $("list").replaceChildren(...lists.map(([value, text]) =>
    make("option", { value, selected: value === view.list }, text)));
  $("filters").hidden = Boolean(section.url);
  $("filters").classList.toggle(
    "is-set", ["title", "genre", "from", "to", "lang"].some((name) => view[name]));
  for (const field of $("filters").querySelectorAll("[name]")) {
    field.value = view[field.name];
    const isIts = field.name === "lang" ? section.languages
      : field.name !== "title" || section.search?.[1] !== "title";
    field.closest("label").hidden = !isIts;
  }
  $("credit").replaceChildren(...section.credit.map((part) =>
    typeof part === "string" ? part : outward(part[0], part[1])));
  window.scrollTo(0, 0);
  grid.show(view);
  suggest();
}

function suggest() {
  const terms = searches.of(...readView().section.search ?? []);
  $("searched").replaceChildren(...terms.slice(0, 20).map((value) => make("option", { value })));
  grid.suggest(terms.slice(0, 8));
}

let typing;
$("term").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(search, 400);
});
$("search").addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(typing);
  search();
});

function search() {
  const term = $("term").value.trim();
  const view = readView();
  if (term === view.term || (term !== "" && [...term].length < fewest)) return;
  history.replaceState(null, "", viewAddress({ ...view, term, albumsOf: "" }));
  show();
}

$("list").addEventListener("change", () => go({ ...readView(), list: $("list").value }));
$("filters").addEventListener("change", ({ target }) =>
  go({ ...readView(), [target.name]: target.value.trim() }));
$("clear").addEventListener("click", () =>
  go({ ...readView(), title: "", genre: "", from: "", to: "", lang: "" }));
$("zoom").addEventListener("input", () => grid.setZoom(Number($("zoom").value)));
$("sections").addEventListener("click", (event) => {
  if (event.target.tagName !== "A" || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  history.pushState(null, "", event.target.href);
  show();
  searches.load();
});
document.addEventListener("click", ({ target }) => {
  if (!$("filters").contains(target)) $("filters").open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("detail").open) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  if (event.key === "/") $("term").focus();
  else if (event.key === "+" || event.key === "=") grid.setZoom(grid.zoom + 1);
  else if (event.key === "-") grid.setZoom(grid.zoom - 1);
  else return;
  event.preventDefault();
});
window.addEventListener("popstate", show);
show();
searches.load();
