/** One picture, as large as the window allows, with everything known about it. */
class Detail {
  /** @param {Grid} grid @param {{move: (item: Shown) => void, close: () => void}} place */
  constructor(grid, place) {
    this.grid = grid;
    this.place = place;
    this.dialog = $("detail");
    this.stage = new Stage($("stage"), (step) => this.step(step), (by) => this.beside(by));
    /** @type {Shown | null} */
    this.item = null;
    this.index = -1;
    /** @type {AbortController | undefined} */
    this.control = undefined;
    this.tracing = new AbortController();
    this.levels = new Levels($("levels"), this.stage);
    /** Pages that were read to find what is shown. */
    this.sought = 0;
    this.star = make("button", {
      className: "star", type: "button", onclick: () => this.item && toggleFavorite(this.item),
    }, icon("star"));
    this.earlier = tool(t("earlier"), "first", () => this.reorder(-1));
    this.later = tool(t("later"), "last", () => this.reorder(1));
    this.zoomButton = tool(t("zoom"), "zoom", () => this.stage.zoom());
    this.info = tool(t("showFacts"), "info", () => this.toggleFacts());
    this.info.className = "info";
    this.info.setAttribute("aria-pressed", "true");
    this.full = tool(t("fullScreen"), "full", () => this.fullScreen());
    this.full.hidden = !document.fullscreenEnabled || isTouched.matches;
    this.back = tool(t("previous"), "left", () => this.step(-1));
    this.forth = tool(t("next"), "right", () => this.step(1));
    this.where = make("span", { className: "where" });
    this.share = tool(t("share"), "share", () => this.sendAddress());
    this.download = tool(t("download"), "download", () => this.fetchOriginal());
    /** A menu on phones. */
    this.acts = make("span", { id: "acts", onclick: () => this.showActs(false) },
      this.earlier, this.later, this.share, this.download);
    this.more = tool(t("more"), "more", () => this.showActs(!this.hasActs));
    this.more.className = "more";
    this.more.setAttribute("aria-controls", "acts");
    // The way out comes first, so that no screen is too narrow for it.
    $("tools").replaceChildren(
      tool(t("close"), "close", () => this.leave()), this.back, this.where, this.forth,
      make("span", { className: "space" }), this.star, this.zoomButton, this.full, this.info,
      this.acts, this.more);
    this.showActs(false);
    this.dialog.addEventListener("pointerdown", ({ target }) => {
      if (!around(target, "#acts, .more")) this.showActs(false);
    });
    // A phone's Back. Escape is a key as the others are: of two without a click between them, a
    // browser takes the second for itself.
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.leave();
    });
    this.dialog.addEventListener("close", () => this.item && this.place.close());
    this.dialog.addEventListener("keydown", (event) => this.press(event));
    document.addEventListener("favorite", () => this.showFavorite());
    document.addEventListener("sharp", () => { this.zoomButton.hidden = !this.stage.isLarge; });
    $("stage").addEventListener("failed", (event) =>
      this.fail(/** @type {CustomEvent<string>} */ (event).detail));
  }

  get isOpen() { return this.dialog.open; }

  /** Whether the menu of a phone is open. */
  get hasActs() { return this.acts.classList.contains("is-open"); }

  /** @param {boolean} isOpen */
  showActs(isOpen) {
    const hadFocus = this.acts.contains(document.activeElement);
    this.acts.classList.toggle("is-open", isOpen);
    this.more.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen && hadFocus && !this.acts.checkVisibility()) this.more.focus();
  }

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
      favorite: undefined, thumbnails: {}, original: undefined, detail: undefined,
    }, -1);
  }

  /** Shows an item; the picture of its tile grows into it.
   * @param {Shown} item @param {number} index */
  show(item, index) {
    if (this.isOpen) {
      this.fillIn(item, index);
      return;
    }
    const frame = this.frame(index);
    moveAs(frame, () => {
      this.dialog.showModal();
      // What is outside of an open dialog is not told to screen readers.
      this.dialog.append($("toast"), $("said"));
      document.documentElement.classList.add("is-still");
      this.fillIn(item, index);
    }, () => this.stage.picture);
  }

  /** The picture of a tile that exists.
   * @param {number} index @returns {HTMLElement | null | undefined} */
  frame(index) { return this.grid.tile(index)?.querySelector(".frame"); }

  /** @param {Shown} item @param {number} index */
  fillIn(item, index) {
    this.item = item;
    this.index = index;
    this.sought = 0;
    this.control?.abort();
    this.control = new AbortController();
    const near = this.frame(index)?.querySelector("img");
    this.stage.show(item, near?.complete && near.naturalWidth > 0 ? near : null);
    $("facts").replaceChildren(...facts(item));
    $("trace").replaceChildren();
    this.levels.trace([]);
    this.zoomButton.hidden = !this.stage.isLarge;
    this.share.hidden = this.download.hidden = this.more.hidden = false;
    this.showActs(false);
    this.dialog.scrollTop = 0;
    $("stage").focus({ preventScroll: true });
    this.showPlace();
    document.title = `${item.title || "…"} – Vitrine`;
    // Near the end of what is loaded the next page is wanted.
    if (index > this.grid.items.length - 5) this.grid.feed.load();
    this.complete(item, this.control.signal);
    // The list may have come before.
    if (index < 0) this.locate();
  }

  /** Where the item is in the list, and what is beside it. */
  showPlace() {
    const { index } = this;
    const { items, total, next } = this.grid.feed;
    this.showFavorite();
    this.back.disabled = index <= 0;
    this.forth.disabled = index < 0 || (index + 1 >= items.length && !next);
    const place = index + 1;
    const all = Math.max(total ?? 0, items.length);
    this.where.replaceChildren(...index < 0 ? [] : [
      make("span", {}, t("place", { place: numberText(place), total: numberText(all) })),
      // A phone has room for few figures.
      make("span", {}, t("shortPlace", { place: shortNumber(place), total: shortNumber(all) }))]);
  }

  /** Finds the item in the list that has come since, page by page. */
  locate() {
    if (!this.isOpen || !this.item) return;
    const { feed } = this.grid;
    if (this.index < 0) {
      const index = feed.items.findIndex(({ item }) => item === this.item?.item);
      if (index >= 0) {
        this.item = Object.assign(feed.items[index], this.item.title ? this.item : {});
        this.index = index;
      } else if (feed.canGoOn && this.sought++ < 20) {
        feed.load();
      }
    }
    this.showPlace();
  }

  /** Adds what only the item's own answer says.
   * @param {Shown} item @param {AbortSignal} signal */
  async complete(item, signal) {
    try {
      const whole = await askItem(item.item, signal, (error) => item.title || this.tell(error));
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
      if (!item.title) {
        this.showMissing(item, error);
        return;
      }
      // What the list said is shown, and is enough.
    }
    this.zoomButton.hidden = !this.stage.isLarge;
    if (item.detail) await this.improve(item.detail, signal);
    if (!signal.aborted) this.explain(signal);
  }

  /** Shows the better picture that the source has for this view.
   * @param {string} name @param {AbortSignal} signal */
  async improve(name, signal) {
    try {
      const better = slim(await askItem(name, signal));
      if (!signal.aborted && !better.failure) this.stage.replace(better);
    } catch {
      // The list's picture stays.
    }
  }

  /** Shows where the picture on the stage comes from.
   * @param {AbortSignal} signal */
  async explain(signal) {
    // An earlier trace may be that of another picture.
    this.tracing.abort();
    const { signal: newest } = this.tracing = new AbortController();
    const pictured = this.stage.item?.item ?? "";
    const { image } = this.stage;
    const traced = await showTrace($("trace"), pictured, newest);
    if (signal.aborted || newest.aborted) return;
    this.levels.trace(traced ?? []);
    if (traced && this.stage.image !== image) {
      // A picture came meanwhile, and with it what made it.
      this.explain(signal);
      return;
    }
    // A picture that is made for the first time is known of when it has come, as is another level.
    this.stage.host.addEventListener("sharp", () => {
      const level = this.levels.traced.find(({ name }) => name === levelOf(this.stage.url)?.name);
      if (traced && (!image || level?.thumbnails.length === 0)) this.explain(signal);
    }, { once: true, signal });
  }

  /** Tells in the place of the title why nothing is known of an item yet.
   * @param {unknown} error */
  tell(error) {
    $("facts").replaceChildren(make("h2", { id: "detail-title" }, reason(error, "")));
  }

  /** The picture on the stage can't be shown: that at hand is, that of the list, or what the page
   * draws.
   * @param {string} failure */
  fail(failure) {
    const { item, stage } = this;
    if (!item || !stage.item) return;
    if (stage.item.item !== item.item) {
      stage.replace(item);
      if (this.control) this.explain(this.control.signal);
    } else if (stage.hasPicture) {
      stage.tell(failureText(failure));
    } else {
      item.failure = failure;
      stage.show(item, null);
      this.levels.show();
    }
  }

  /** An address that names no item.
   * @param {Shown} item @param {unknown} error */
  showMissing(item, error) {
    const isUnknown = error instanceof Refusal && error.status === 404;
    const sentence = isUnknown ? t("noSuchItem")
      : reason(error, sourceName(item.item.split("/")[0]));
    document.title = `${isUnknown ? sentence : "…"} – Vitrine`;
    item.failure = "absent";
    this.stage.show({ ...item, title: "?" }, null);
    this.levels.show();
    this.zoomButton.hidden = this.share.hidden = this.download.hidden = this.more.hidden = true;
    $("facts").replaceChildren(
      make("h2", { id: "detail-title", title: cause(error) }, sentence),
      make("p", { className: "links" },
        make("a", { href: viewAddress({ ...readView(), item: "" }) }, t("toList"))));
  }

  showFavorite() {
    if (!this.item) return;
    const isKept = this.item.favorite;
    this.star.hidden = isKept === undefined;
    showStar(this.star, this.item);
    const canMove = order.isOn && this.index >= 0;
    this.earlier.hidden = !canMove;
    this.later.hidden = !canMove;
  }

  /** A neighbor whose tile has its picture.
   * @param {number} by */
  beside(by) {
    const item = this.index < 0 ? null : this.grid.items[this.index + by];
    const image = this.frame(this.index + by)?.querySelector("img");
    return item && image?.naturalWidth ? { item, src: image.currentSrc } : null;
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

  /** Leaves the menu, the zoom, or the picture. */
  leave() {
    if (this.hasActs) this.showActs(false);
    else if (this.stage.isZoomed) this.stage.unzoom();
    else this.place.close();
  }

  /** Closes, and returns to the tile, which the picture shrinks into. */
  close() {
    if (!this.item) return;
    this.control?.abort();
    this.stage.unzoom();
    moveAs(this.stage.picture, () => {
      this.dialog.close();
      document.body.append($("toast"), $("said"));
      document.documentElement.classList.remove("is-still");
      // The list stays where it was, unless another picture is shown now.
      if (this.index >= 0) this.grid.focus(this.index, !this.grid.isInSight(this.index));
      this.item = null;
    }, () => this.frame(this.index));
  }

  toggleFacts() {
    const isAlone = this.dialog.classList.toggle("is-alone");
    this.info.setAttribute("aria-pressed", String(!isAlone));
  }

  fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else $("stage").requestFullscreen();
  }

  async sendAddress() {
    const address = location.href;
    if (navigator.share) {
      try {
        await navigator.share({ title: this.item?.title, url: address });
        return;
      } catch (error) {
        if (error instanceof DOMException && error.name === "AbortError") return;
      }
    }
    await copyAddress(address);
  }

  fetchOriginal() {
    const pictured = this.stage.item;
    if (!this.item || !pictured) return;
    const url = (!pictured.failure && originalURL(pictured.item))
      || thumbnailURL(pictured.item, levels[levels.length - 1].name);
    make("a", { href: url, download: this.item.title || this.item.id }).click();
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // The arrows of the slider are its own.
    if (event.target === this.levels.dial && event.key.startsWith("Arrow")) return;
    if (this.stage.press(event)) {
      event.preventDefault();
      return;
    }
    if (event.key === "ArrowLeft") this.step(-1);
    else if (event.key === "ArrowRight") this.step(1);
    else if (event.key === "Escape") this.leave();
    else if (event.key === "f" && this.item) toggleFavorite(this.item);
    else if (event.key === "i") this.toggleFacts();
    else if (event.key === "?") keySheet.open();
    else if (event.key === "+" && this.stage.isLarge) this.stage.zoom();
    else return;
    event.preventDefault();
  }
}
