// The pages of one list, one after the other, as they are scrolled to.
class Grid {
  constructor(onOpen) {
    this.onOpen = onOpen;
    this.items = [];
    this.next = null;
    this.control = new AbortController();
    this.zoom = readZoom();
    this.watcher = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && this.loadMore(),
      { rootMargin: "1200px" });
    this.watcher.observe($("more"));
  }

  // Shows a list from its beginning and cancels the requests of the previous one.
  show(view) {
    this.control.abort(new DOMException("another list is shown", "AbortError"));
    this.control = new AbortController();
    this.view = view;
    this.items = [];
    this.total = null;
    this.next = firstPage(view);
    this.isLoading = false;
    $("grid").replaceChildren();
    notify("");
    this.setZoom(this.zoom);
    if (this.next) this.loadMore();
    this.isWaiting = !this.next;
    this.showCount();
  }

  async loadMore() {
    if (!this.next || this.isLoading) return;
    const { signal } = this.control;
    this.isLoading = true;
    this.say(make("p", {}, "…"));
    try {
      const page = await ask(this.next, { signal });
      this.next = page.next;
      this.total = page.total;
      // The total counts the whole list then.
      this.isFiltered = page.searchedPages !== undefined;
      if (this.items.length === 0 && this.view.term) searches.load();
      this.add(page.items);
      if (page.stale && page.items.length > 0) {
        notify(`The catalog is unreachable. This page is from ${
          new Date(page.fetchedAt).toLocaleString()}.`);
      }
      if (this.next && page.searchedPages && page.items.length === 0) {
        this.offerMore(page.searchedPages);
        return;
      }
      this.say(this.next || this.items.length > 0 ? null : this.nothing());
    } catch (error) {
      if (signal.aborted) return;
      this.fail(error);
      return;
    }
    this.isLoading = false;
    this.showCount();
    // The element may still be visible, and then the observer would not fire again.
    this.watcher.unobserve($("more"));
    this.watcher.observe($("more"));
  }

  // After pages without a match: the reader decides whether the rest of the catalog is looked through.
  offerMore(pages) {
    const more = make("button", { type: "button", textContent: "Look further" });
    more.addEventListener("click", () => {
      this.isLoading = false;
      this.loadMore();
    });
    this.showCount();
    this.say(make("p", {}, `Nothing matches on the last ${pages} pages of the catalog.`), more);
  }

  fail(error) {
    const isOurs = error instanceof Refusal && error.status < 500;
    const again = make("button", { type: "button", textContent: "Try again" });
    again.addEventListener("click", () => {
      this.isLoading = false;
      this.loadMore();
    });
    this.say(
      make("p", {}, error instanceof Refusal ? error.message : "The service can't be reached."),
      isOurs ? null : again);
  }

  nothing() {
    const isFavorites = Boolean(this.view.section.url);
    return make("p", {}, isFavorites ? "No favorites yet: a star makes one." : "Nothing was found.");
  }

  // Where nothing can be shown without a search: what was searched before.
  suggest(terms) {
    if (!this.isWaiting) return;
    const chips = terms.map((term) => {
      const chip = make("button", { type: "button", textContent: term });
      chip.addEventListener("click", () => go({ ...this.view, term }));
      return chip;
    });
    this.say(
      make("p", {}, "Type three letters or more."), make("div", { className: "chips" }, ...chips));
  }

  add(items) {
    const first = this.items.length;
    this.items.push(...items);
    $("grid").append(...items.map((item, index) => this.tile(item, first + index)));
  }

  tile(item, index) {
    const caption = [item.subtitle, item.date?.slice(0, 4)].filter(Boolean).join(" · ");
    const button = make(
      "button", { className: "open", type: "button", "aria-label": item.title },
      pictureFrame(item, { sizes: this.sizes, shape: this.view.section.shape }),
      make("span", { className: "caption" },
        make("b", {}, item.title), make("span", {}, caption || " ")));
    button.title = item.title;
    button.addEventListener("click", () => this.onOpen(index));
    return make("li", {}, button, starButton(item));
  }

  get sizes() { return `${Math.round(tileWidths[this.zoom] * 1.2)}px`; }

  setZoom(zoom) {
    this.zoom = Math.min(Math.max(zoom, 0), tileWidths.length - 1);
    keepZoom(this.zoom);
    $("zoom").value = this.zoom;
    $("grid").style.setProperty("--tile", `${tileWidths[this.zoom]}px`);
    $("grid").classList.toggle("is-small", this.zoom < 2);
    for (const image of $("grid").querySelectorAll("img")) image.sizes = this.sizes;
  }

  showCount() {
    const shown = this.items.length;
    $("count").textContent =
      shown === 0 ? "" : this.total > shown && !this.isFiltered ? `${shown} of ${this.total}` : `${shown} shown`;
  }

  say(...elements) { $("more").replaceChildren(...elements.filter(Boolean)); }
}
