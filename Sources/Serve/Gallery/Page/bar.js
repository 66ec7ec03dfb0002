/** The sections in the header, and the header itself, which a phone has no room for while it
 * scrolls. */
class Bar {
  constructor() {
    /** What is known of the sources.
     * @type {{name: string, missing: string | null}[]} */
    this.sources = [];
    this.hasFavorites = true;
    /** How much of each source is warmed, 0 to 1.
     * @type {Map<string, number>} */
    this.warmed = new Map();
    this.shown = "";
    const header = $("header");
    let height = 0;
    new ResizeObserver(() => {
      height = header.offsetHeight;
      document.documentElement.style.setProperty("--header", `${height}px`);
    }).observe(header);
    let before = scrollY;
    addEventListener("scroll", () => {
      if (Math.abs(scrollY - before) < 6) return;
      header.classList.toggle("is-away", scrollY > before && scrollY > height);
      before = scrollY;
    }, { passive: true });
    const bar = $("sections");
    bar.addEventListener("scroll", () => this.fade(), { passive: true });
    new ResizeObserver(() => this.fade()).observe(bar);
    // A mouse has one wheel.
    bar.addEventListener("wheel", (event) => {
      if (event.ctrlKey || event.deltaX || bar.scrollWidth <= bar.clientWidth) return;
      event.preventDefault();
      bar.scrollLeft += event.deltaY;
    }, { passive: false });
    $("find").addEventListener("click", () => {
      const isOpen = header.classList.toggle("is-open");
      $("find").setAttribute("aria-expanded", String(isOpen));
      if (isOpen && !$("searching").hidden) $("term").focus();
    });
    header.addEventListener("keydown", ({ key }) => key === "Escape" && this.fold(true));
    // A tap beside the sheet closes it, and nothing else.
    let isFolding = false;
    document.addEventListener("pointerdown", ({ target }) => {
      isFolding = header.classList.contains("is-open")
        && !header.contains(/** @type {Node} */ (target));
      if (isFolding) this.fold(false);
    }, { capture: true });
    document.addEventListener("click", (event) => {
      if (isFolding) event.preventDefault();
      if (isFolding) event.stopPropagation();
      isFolding = false;
    }, { capture: true });
  }

  /** Fades the ends of the bar behind which there are more sections. */
  fade() {
    const bar = $("sections");
    const { classList, clientWidth, scrollLeft, scrollWidth } = bar;
    classList.toggle("has-before", scrollLeft > 1);
    classList.toggle("has-after", scrollLeft + clientWidth < scrollWidth - 1);
  }

  /** Closes a phone's sheet with the search.
   * @param {boolean} isFocused whether its button gets the focus */
  fold(isFocused) {
    if (!$("header").classList.contains("is-open")) return;
    $("header").classList.remove("is-open");
    $("find").setAttribute("aria-expanded", "false");
    if (isFocused) $("find").focus();
  }

  show() {
    const { section } = readView();
    // Links that stay keep the focus, and the place where they are scrolled to.
    const shown = JSON.stringify([section.id, this.hasFavorites, this.sources]);
    if (shown === this.shown) return;
    this.shown = shown;
    const links = sections.filter(({ id }) => this.hasFavorites || id !== "favorites")
      .map((other) => this.link(other, other === section));
    const bar = $("sections");
    const hadFocus = bar.contains(document.activeElement);
    bar.replaceChildren(...links);
    this.fade();
    const current = links.find((link) => link.ariaCurrent);
    if (!current) return;
    bar.scrollLeft = current.offsetLeft - (bar.clientWidth - current.offsetWidth) / 2;
    if (hadFocus) current.focus();
  }

  /** @param {Section} section @param {boolean} isCurrent */
  link(section, isCurrent) {
    const missing = this.missing(section);
    const link = make("a", { href: viewAddress({ section }) }, sectionName(section));
    if (missing) {
      link.classList.add("is-off");
      link.title = missing;
      link.append(make("small", {}, ` ${t("unconfigured")}`));
    }
    if (isCurrent) link.setAttribute("aria-current", "page");
    link.dataset.source = section.source ?? "";
    this.fillLink(link);
    return link;
  }

  /** What a section's source needs before it works.
   * @param {Section} section */
  missing({ source }) { return this.sources.find(({ name }) => name === source)?.missing; }

  /** Tabs fill while their sources are warmed.
   * @param {Map<string, number>} warmed */
  fill(warmed) {
    this.warmed = warmed;
    for (const link of $("sections").querySelectorAll("a")) this.fillLink(link);
  }

  /** @param {HTMLAnchorElement} link */
  fillLink(link) {
    const part = this.warmed.get(link.dataset.source ?? "");
    link.classList.toggle("is-filling", part !== undefined);
    link.style.setProperty("--part", percentText(part ?? 0).replace(/\s/g, ""));
  }
}
