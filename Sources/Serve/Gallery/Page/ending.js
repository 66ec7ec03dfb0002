/** What is below the last item: what is wrong, or where else to look. */
class Ending {
  /** @param {{go: (view: View) => void, problem: () => string,
   *    isOff: (section: Section) => boolean}} page */
  constructor(page) {
    this.page = page;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.clock = undefined;
  }

  /** @param {Feed} feed @param {View} view
   * @param {boolean} isWarming whether the source is filled now */
  show(feed, view, isWarming) {
    clearInterval(this.clock);
    const host = $("more");
    host.replaceChildren(...parts(this.parts(feed, view, isWarming)));
    host.hidden = host.childElementCount === 0;
  }

  /** @param {Feed} feed @param {View} view @param {boolean} isWarming
   * @returns {(Node | false | null)[]} */
  parts(feed, view, isWarming) {
    const isWelcome = firstPage(view) === null;
    if (feed.isLoading) return [];
    if (feed.error) return isWelcome || feed.items.length > 0 ? [] : this.failure(feed, view);
    if (feed.isUndecided) {
      return [
        make("p", {}, t("nothingYet", { pages: feed.emptyPages })),
        button(t("lookFurther"), () => feed.load()),
      ];
    }
    if (feed.items.length > 0 || feed.directories.length > 0 || feed.next) return [];
    if (isWelcome) return [isWarming && make("p", {}, t("filling"))];
    // One mistake is told once, beside its field.
    if (this.page.problem()) return [];
    return view.section.url && !filterNames.some((name) => view[name])
      ? [ghosts(), make("p", {}, t(isTouched.matches ? "noFavoritesTouch" : "noFavorites")),
        make("a", { className: "button", href: "/" },
          t("lookAt", { name: sectionName(sections[0]) }))]
      : this.nothing(view);
  }

  /** @param {Feed} feed @param {View} view @returns {(Node | false | null)[]} */
  failure(feed, view) {
    const { error, retryAt } = feed;
    const counting = make("p", { className: "soft" });
    // For eyes: a screen reader would read every second.
    counting.setAttribute("aria-hidden", "true");
    const count = () => {
      const seconds = Math.ceil((retryAt - Date.now()) / 1000);
      counting.textContent = seconds > 0 ? t("retryIn", { seconds }) : "";
    };
    if (retryAt > 0) {
      count();
      this.clock = setInterval(count, 1000);
    }
    const canRetry = !(error instanceof Refusal) || error.canPass;
    return [
      make("p", { title: cause(error) }, reason(error, viewName(view))),
      retryAt > 0 && counting, canRetry && button(t("again"), () => feed.load()),
    ];
  }

  /** Nothing was found: for what, and where it may be.
   * @param {View} view @returns {(Node | false | null)[]} */
  nothing(view) {
    const { section, term } = view;
    const name = sectionName(section);
    const on = filterNames.filter((name) => view[name]);
    const others = sections.filter((other) =>
      other !== section && other.search && !this.page.isOff(other));
    return [
      make("p", {},
        t(term ? "nothingFor" : on.length > 0 ? "nothingFiltered" : "nothing", { term, name })),
      on.length > 0 && button(t("clearFilters"), () => this.page.go(unfiltered(view))),
      term !== "" && make("p", { className: "chips" }, ...others.slice(0, 5).map((other) =>
        make("a", { className: "button", href: viewAddress({ ...emptyView(other), term }) },
          t("searchThere", { name: sectionName(other), term })))),
    ];
  }
}

/** Tiles that stand for favorites to come. */
function ghosts() {
  return make("div", { className: "ghosts", "aria-hidden": "true" },
    ...Array.from({ length: 6 }, () => make("span", {}, icon("star"))));
}

/** What is wrong stays in sight, whatever is scrolled.
 * @param {Feed} feed @param {View} view @param {() => void} reload */
function showBanner(feed, view, reload) {
  const banner = $("banner");
  const { error, staleSince } = feed;
  const hasItems = feed.items.length > 0;
  const name = view.section.url ? t("aCatalog") : viewName(view);
  const sentence = error && hasItems ? reason(error, name)
    : !navigator.onLine ? t("offline") : staleSince && hasItems ? t("stale", { name }) : "";
  banner.hidden = sentence === "";
  document.documentElement.style.setProperty("--banner", "0px");
  if (!sentence) return;
  const canRetry = !(error instanceof Refusal) || error.canPass;
  banner.title = error ? cause(error)
    : staleSince ? t("listFrom", { when: timeText(staleSince) }) : "";
  banner.replaceChildren(...parts([make("span", {}, sentence),
    canRetry && button(t("again"), error ? () => feed.load() : reload)]));
  document.documentElement.style.setProperty("--banner", `${banner.offsetHeight + 8}px`);
}
