/** One picture, as large as the window allows, with everything known about it. */
class Detail {
  /** @param {Grid} grid @param {{move: (item: Shown) => void, close: () => void}} place */
  constructor(grid, place) {
    this.grid = grid;
    this.place = place;
    this.dialog = $("detail");
    this.stage = new Stage($("stage"), (step) => this.step(step));
    /** @type {Shown | null} */
    this.item = null;
    this.index = -1;
    /** @type {AbortController | undefined} */
    this.control = undefined;
    this.star = make("button", {
      className: "star", type: "button", onclick: () => this.item && toggleFavorite(this.item),
    });
    this.earlier = button(t("earlier"), "⇤", () => this.reorder(-1));
    this.later = button(t("later"), "⇥", () => this.reorder(1));
    this.zoomButton = button(t("zoom"), "⌕", () => this.stage.zoom());
    this.back = button(t("previous"), "←", () => this.step(-1));
    this.forth = button(t("next"), "→", () => this.step(1));
    this.where = make("span", { className: "where" });
    $("tools").replaceChildren(
      this.back, this.where, this.forth, make("span", { className: "space" }), this.earlier,
      this.later, this.star, this.zoomButton, button(t("share"), "↗", () => this.share()),
      button(t("download"), "↓", () => this.download()),
      button(t("close"), "✕", () => this.leave()));
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.leave();
    });
    this.dialog.addEventListener("keydown", (event) => this.press(event));
    document.addEventListener("favorite", () => this.showFavorite());
    document.addEventListener("sharp", () => { this.zoomButton.hidden = !this.stage.isLarge; });
  }

  get isOpen() { return this.dialog.open; }

  /** Shows an item; one that the list doesn't have is asked for.
   * @param {string} name */
  async open(name) {
    const index = this.grid.items.findIndex(({ item }) => item === name);
    if (this.isOpen && this.item?.item === name && (index < 0 || index === this.index)) return;
    if (index >= 0) {
      this.show(this.grid.items[index], index);
      return;
    }
    this.show({
      item: name, id: name.split("/").at(-1) ?? "", title: "", language: null, subtitle: null,
      date: null, genres: [], aspectRatio: null, thumbhash: null, color: null, failure: undefined,
      favorite: undefined, thumbnails: {}, original: undefined,
    }, -1);
  }

  /** @param {Shown} item @param {number} index */
  show(item, index) {
    this.item = item;
    this.index = index;
    this.control?.abort();
    this.control = new AbortController();
    const at = this.grid.tile(index)?.querySelector("img");
    if (!this.isOpen) {
      this.dialog.showModal();
      // What is outside of an open dialog is not told to screen readers.
      this.dialog.append($("toast"), $("said"));
      document.documentElement.classList.add("is-still");
    }
    this.stage.show(item, at?.complete && at.naturalWidth > 0 ? at.currentSrc : null);
    $("facts").replaceChildren(...facts(item));
    $("trace").replaceChildren();
    this.dialog.scrollTop = 0;
    $("stage").focus({ preventScroll: true });
    this.showFavorite();
    const { items, total, next } = this.grid.feed;
    this.back.disabled = index <= 0;
    this.forth.disabled = index < 0 || (index + 1 >= items.length && !next);
    this.where.textContent = index < 0 ? ""
      : t("place", { place: index + 1, total: Math.max(total ?? 0, items.length) });
    document.title = `${item.title || "…"} – Vitrine`;
    // Near the end of what is loaded the next page is wanted.
    if (index > items.length - 5) this.grid.feed.load();
    this.complete(item, this.control.signal);
  }

  /** Adds what only the item's own answer says.
   * @param {Shown} item @param {AbortSignal} signal */
  async complete(item, signal) {
    try {
      const whole = /** @type {ItemDocument} */ (await ask(`/v1/${itemPath(item.item)}`, { signal }));
      if (signal.aborted) return;
      const isNew = !item.title;
      const { favorite } = item;
      Object.assign(item, slim(whole));
      item.favorite ??= favorite;
      $("facts").replaceChildren(...facts(whole));
      if (isNew) {
        document.title = `${item.title} – Vitrine`;
        this.stage.show(item, null);
        this.showFavorite();
      } else {
        this.stage.refine();
      }
    } catch (error) {
      if (signal.aborted) return;
      // What the list said is shown, and is enough.
      if (!item.title) $("facts").replaceChildren(make("p", {}, reason(error)));
    }
    this.zoomButton.hidden = !this.stage.isLarge;
    const trace = () =>
      showTrace($("trace"), item, signal, (level, format) => this.stage.showAs(level, format));
    if (await trace() || signal.aborted) return;
    // The picture is made for the first time, and where it comes from is known then.
    if (this.stage.loaded) trace();
    else this.stage.host.addEventListener("sharp", trace, { once: true, signal });
  }

  showFavorite() {
    if (!this.item) return;
    const isKept = this.item.favorite;
    this.star.hidden = isKept === undefined;
    showStar(this.star, this.item);
    const canMove = readView().section.url !== undefined && this.index >= 0;
    this.earlier.hidden = !canMove;
    this.later.hidden = !canMove;
  }

  /** @param {number} by */
  step(by) {
    const index = this.index + by;
    const item = this.grid.items[index];
    if (this.index < 0 || !item) return;
    this.show(item, index);
    this.place.move(item);
  }

  /** @param {number} by */
  reorder(by) {
    const to = this.index + by;
    if (to < 0 || to >= this.grid.items.length || !this.item) return;
    order.move(this.index, to);
    this.show(this.item, to);
  }

  leave() {
    if (this.stage.isZoomed) this.stage.unzoom();
    else this.place.close();
  }

  /** Closes, and returns to the tile. */
  close() {
    if (!this.isOpen) return;
    this.control?.abort();
    this.stage.unzoom();
    this.dialog.close();
    document.body.append($("toast"), $("said"));
    document.documentElement.classList.remove("is-still");
    // The list stays where it was, unless another picture is shown now.
    if (this.index >= 0) this.grid.focus(this.index, !this.grid.isInSight(this.index));
    this.item = null;
  }

  async share() {
    const address = location.href;
    if (navigator.share) {
      try {
        await navigator.share({ title: this.item?.title, url: address });
        return;
      } catch (error) {
        if (error instanceof DOMException && error.name === "AbortError") return;
      }
    }
    try {
      await navigator.clipboard.writeText(address);
      toast(t("copied"));
    } catch {
      toast(t("notCopied", { address }));
    }
  }

  download() {
    if (!this.item) return;
    const url = this.item.failure
      ? thumbnailURL(this.item.item, levels[levels.length - 1].name)
      : `/o/${itemPath(this.item.item)}`;
    make("a", { href: url, download: this.item.title || this.item.id }).click();
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.stage.press(event)) {
      event.preventDefault();
      return;
    }
    if (event.key === "ArrowLeft") this.step(-1);
    else if (event.key === "ArrowRight") this.step(1);
    else if (event.key === "f" && this.item) toggleFavorite(this.item);
    else if (event.key === "+" && this.stage.isLarge) this.stage.zoom();
    else return;
    event.preventDefault();
  }
}

/** Everything that is known about an item.
 * @param {Omit<Shown, "thumbnails"> & Partial<ItemFacts>} item */
function facts(item) {
  const source = item.item.split("/")[0];
  const { genres, tracks } = item;
  const number = (/** @type {number} */ value) => value.toLocaleString(locale());
  const lines = [
    item.subtitle, item.subtitle?.includes(item.date ?? "?") ? null : item.date, item.objectNumber,
    item.medium, item.dimensions,
    item.followers && t("followers", { count: number(item.followers) }),
    item.trackCount && t("tracks", { count: number(item.trackCount) }),
    item.milliseconds && t("minutes", { count: Math.round(item.milliseconds / 60000) }),
  ].filter(Boolean);
  const albums = make("a", {
    href: viewAddress({ ...emptyView(readView().section), albumsOf: item.id }),
  }, t("albumsOf"));
  return parts([
    make("h2", { id: "detail-title", lang: item.language ?? "" }, item.title || "…"),
    make("p", { className: "soft" }, lines.join(" · ")),
    genres.length > 0 && make("ul", { className: "genres" },
      ...genres.map((genre) => make("li", {}, genre))),
    item.summary && make("p", { className: "summary", lang: item.language ?? "" }, item.summary),
    tracks && tracks.length > 0 && make("ol", { "aria-label": t("songs") },
      ...tracks.map((track) => make("li", {}, track.title))),
    make("p", { className: "links" },
      outward(t("atSource", { source }), item.link),
      !item.failure && make("a", { href: `/o/${itemPath(item.item)}` }, t("original")),
      item.item.startsWith("spotify/artist/") && albums),
    item.creditLine && make("p", { className: "soft" }, item.creditLine),
    item.rights && make("p", { className: "soft" },
      outward(t("rights"), item.rights) ?? item.rights),
  ]);
}
