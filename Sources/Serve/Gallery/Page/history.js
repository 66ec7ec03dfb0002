/** Searches that were made, newest first. */
const searches = {
  all: /** @type {HistoryDocument["searches"]} */ ([]),
  async load() {
    searches.all = /** @type {HistoryDocument} */ (await ask("/v1/history")).searches;
  },
  /** Those of one list.
   * @param {string} [path] @param {string} [name] of the parameter that is searched */
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
      ...terms.map((term) => button(term, () => onTerm(term))));
  const known = searches.of(...section.search ?? []).slice(0, 8);
  const suggested = (section.suggestions ?? []).filter((term) => !known.includes(term));
  return parts([chips(t("searched"), known), chips(t("searchFor"), suggested)]);
}

/** The view that made a search; null if no section has its list any more.
 * @param {HistoryDocument["searches"][number]} search @returns {View | null} */
function searchedView({ source, list, term, parameters }) {
  const section = sections.find(({ search }) => search?.[0] === `${source}/${list}`);
  if (!section?.search) return null;
  const view = emptyView(section);
  for (const [name, value] of Object.entries(parameters)) {
    const field = viewFields.find((field) => field === name);
    if (name === section.search[1]) view.term = value;
    else if (field) view[field] = value;
  }
  view.term ||= term;
  return view;
}

/** Shows every search that was made, each a link, and a button that forgets them. */
async function showHistory() {
  let trouble = "";
  try {
    await searches.load();
  } catch (error) {
    trouble = reason(error, "");
  }
  const rows = searches.all.flatMap((search) => {
    const view = searchedView(search);
    const when = make("time", { dateTime: search.searchedAt }, timeText(search.searchedAt));
    return view ? [make("li", {}, make("a", { href: viewAddress(view) }, search.term),
      make("small", {}, sectionName(view.section)), when)] : [];
  });
  $("history-panel").replaceChildren(...parts([
    make("h2", { id: "history-title" }, t("history")),
    trouble && make("p", { role: "status" }, trouble),
    rows.length > 0 ? make("ol", {}, ...rows)
      : !trouble && make("p", { className: "soft" }, t("noSearches")),
    rows.length > 0 && button(t("clearHistory"), clearHistory),
  ]));
}

async function clearHistory() {
  try {
    await ask("/v1/history", { method: "DELETE" });
    announce(t("noSearches"));
  } catch (error) {
    toast(reason(error, ""));
  }
  await showHistory();
}
