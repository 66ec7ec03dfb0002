/** Searches that were made, newest first, by the list that was searched. */
const searches = {
  all: /** @type {HistoryDocument["searches"]} */ ([]),
  /** @param {string} [path] @param {string} [name] of the parameter that is searched */
  of: (path, name) => [...new Set(searches.all
    .filter(({ source, list, parameters }) =>
      `${source}/${list}` === path && Object.keys(parameters).join() === name)
    .map(({ term }) => term))],
};

/** What a section shows before anything is searched: earlier searches, and words to try.
 * @param {View} view @param {(term: string) => void} onTerm */
function welcome(view, onTerm) {
  const { section } = view;
  const chips = (/** @type {string} */ title, /** @type {string[]} */ terms) =>
    terms.length === 0 ? null : make("div", { className: "chips" }, make("h2", {}, title),
      ...terms.map((term) => make("button", {
        type: "button", textContent: term, onclick: () => onTerm(term),
      })));
  const known = searches.of(...section.search ?? []).slice(0, 8);
  const suggested = (section.suggestions ?? []).filter((term) => !known.includes(term));
  return parts([chips(t("searched"), known), chips(t("searchFor"), suggested)]);
}

/** Tiles that stand for favorites to come. */
function ghosts() {
  return make("div", { className: "ghosts", "aria-hidden": "true" },
    ...Array.from({ length: 6 }, () => make("span", {}, "☆")));
}
