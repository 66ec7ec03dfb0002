/** Searching and filtering. Everything that is on is in the address. */
class Filters {
  /** @param {(view: View, how: "push" | "type") => void} onChange
   * @param {() => void} onCheck after the fields were looked at */
  constructor(onChange, onCheck) {
    this.onChange = onChange;
    this.onCheck = onCheck;
    /** Genres that were seen, by section.
     * @type {Map<string, Set<string>>} */
    this.genres = new Map();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.typing = undefined;
    const form = $("search");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.read("push");
    });
    form.addEventListener("input", (event) => {
      const field = /** @type {HTMLInputElement} */ (event.target);
      if (!field.name) return;
      clearTimeout(this.typing);
      const isText = field.type === "search";
      this.typing = setTimeout(() => this.read("type"), isText ? 300 : 0);
      this.check();
    });
    $("filters").addEventListener("toggle", () => this.check());
    $("clear").addEventListener("click", () => this.clear());
    $("filters").addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !$("filters").open) return;
      event.preventDefault();
      $("filters").open = false;
      $("filters").querySelector("summary")?.focus();
    });
    document.addEventListener("click", ({ target }) => {
      if (!$("filters").contains(/** @type {Node} */ (target))) $("filters").open = false;
    });
  }

  /** The fields, with the parameter that each is for. */
  get fields() {
    const fields = /** @type {NodeListOf<HTMLInputElement | HTMLSelectElement>} */ (
      $("search").querySelectorAll("[name]"));
    return Array.from(fields, (field) =>
      /** @type {const} */ ([/** @type {typeof viewFields[number]} */ (field.name), field]));
  }

  /** What makes the fields wrong, in a sentence. */
  get problem() {
    const term = $("term").value.trim();
    const isShort = (/** @type {string} */ text) => text !== "" && [...text].length < fewest;
    if (isShort(term)) return t("fewLetters");
    const [from, to] = [$("from").value, $("to").value];
    if (from && to && from > to) return t("datesCrossed");
    if ([from, to].some((date) => date > today())) return t("future");
    return $("from").validity.valid && $("to").validity.valid ? "" : t("noDate");
  }

  check() {
    const isShort = this.problem === t("fewLetters");
    // Beside the field, as long as that is in sight.
    const isBelow = !isShort && $("filters").open;
    $("rule").textContent = isBelow ? "" : this.problem;
    $("date-rule").textContent = isBelow ? this.problem : "";
    $("term").setAttribute("aria-invalid", String(isShort));
    for (const id of /** @type {const} */ (["from", "to"])) {
      $(id).setAttribute("aria-invalid", String(this.problem !== "" && !isShort));
    }
    this.onCheck();
  }

  /** Goes to what the fields say, unless it is there already or wrong.
   * @param {"push" | "type"} how */
  read(how) {
    clearTimeout(this.typing);
    this.check();
    if (this.problem) return;
    const before = readView();
    const view = { ...before };
    for (const [name, field] of this.fields) view[name] = field.value.trim();
    if (view.term !== before.term) view.albumsOf = "";
    if (view.list !== before.list) view.dir = "";
    if (viewAddress(view) !== viewAddress(before)) this.onChange(view, how);
    else if (how === "push") this.onChange(view, "type");
  }

  clear() { this.onChange(unfiltered(readView()), "push"); }

  /** Shows what is on.
   * @param {View} view */
  show(view) {
    const { section } = view;
    const hasSearch = Boolean(section.search);
    const searchIn = t("searchIn", { name: sectionName(section) });
    $("searching").hidden = !hasSearch;
    $("term").placeholder = searchIn;
    $("term").setAttribute("aria-label", searchIn);
    const lists = (section.browse?.length ?? 0) > 1 && !view.term ? section.browse ?? [] : [];
    $("list").hidden = lists.length === 0;
    $("list").replaceChildren(...lists.map(([value, text]) =>
      make("option", { value: value === lists[0][0] ? "" : value },
        sentences[text] ? t(text) : text)));
    this.showGenres(view);
    $("from").max = view.to || today();
    $("to").max = today();
    $("to").min = view.from;
    for (const [name, field] of this.fields) {
      // What is being typed stays as it is.
      const value = view[name];
      if (field !== document.activeElement || field.value.trim() !== value) field.value = value;
      const isIts = name === "lang" ? section.languages
        : (name !== "title" || section.search?.[1] !== "title")
          && !section.withoutFilters?.includes(name);
      const label = around(field, "#filters label");
      if (label) label.hidden = !isIts;
    }
    this.showChips(view);
    this.check();
  }

  /** @param {View} view @param {Feed} [feed] */
  showGenres(view, feed) {
    const seen = this.genres.get(view.section.id) ?? new Set();
    this.genres.set(view.section.id, seen);
    const count = seen.size;
    for (const genre of feed?.genres ?? []) seen.add(genre);
    if (feed && seen.size === count) return;
    const all = [...new Set([...seen, view.genre].filter(Boolean))].sort();
    $("genre").replaceChildren(
      make("option", { value: "" }, t("anyGenre")),
      ...all.map((genre) => make("option", { value: genre }, genre)));
    $("genre").value = view.genre;
  }

  /** @param {View} view */
  showChips(view) {
    const on = filterNames.filter((name) => view[name]);
    $("filters").classList.toggle("is-set", on.length > 0);
    $("chips").hidden = on.length === 0;
    const names = { title: "title", genre: "genre", from: "from", to: "to", lang: "language" };
    $("chips").replaceChildren(...on.map((name) => {
      const what = `${t(names[name])}: ${filterText(view, name)}`;
      return make("button", {
        type: "button", "aria-label": t("remove", { what }),
        onclick: () => this.onChange({ ...readView(), [name]: "" }, "push"),
      }, what, icon("close"));
    }));
  }
}

/** A filter's value for people.
 * @param {View} view @param {typeof filterNames[number]} name */
function filterText(view, name) {
  const value = view[name];
  return name === "from" || name === "to" ? dateText(value) : value;
}

/** The date of today as fields have it. */
function today() { return new Date().toISOString().slice(0, 10); }
