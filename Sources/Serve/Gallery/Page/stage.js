/** The large picture: the level at hand at once, then a sharper one; and the zoom into it. */
class Stage {
  /** @param {HTMLElement} host @param {(by: number) => void} onSwipe
   * @param {(by: number) => {item: Shown, src: string} | null} beside a neighbor that the browser
   *   has a picture of */
  constructor(host, onSwipe, beside) {
    this.host = host;
    this.beside = beside;
    /** @type {Shown | null} */
    this.item = null;
    /** @type {DeepZoom | null} */
    this.deep = null;
    /** Size of the level that was loaded, and whether it fills the box of its level.
     * @type {{width: number, height: number, isFull: boolean} | null} */
    this.loaded = null;
    /** The picture that is shown; null until the first has come.
     * @type {HTMLImageElement | null} */
    this.image = null;
    /** Address of the level that is shown or on its way. */
    this.url = "";
    /** @type {HTMLElement | undefined} */
    this.picture = undefined;
    /** What a visitor chose; null for the level that fits.
     * @type {{level: string, format: string} | null} */
    this.chosen = null;
    this.note = make("p", { className: "note", role: "status" });
    /** Why no sharper picture is shown. */
    this.trouble = "";
    new ResizeObserver(() => this.refine()).observe(host);
    this.listenForTouch(onSwipe);
    host.addEventListener("dblclick", (event) => this.zoom(event));
    host.addEventListener("wheel", (event) => event.deltaY < 0 && this.zoom(event),
      { passive: true });
  }

  /** @param {Shown} item
   * @param {HTMLImageElement | null} near a picture that the browser has already */
  show(item, near) {
    this.unzoom();
    this.item = item;
    this.url = "";
    this.loaded = null;
    this.image = null;
    this.chosen = null;
    this.trouble = "";
    const isClear = isTransparent(item);
    this.picture = make("div", { className: isClear ? "picture is-clear" : "picture" });
    const ground = make("canvas", {
      className: "ground", "aria-hidden": "true", width: 12, height: 12,
    });
    if (item.thumbhash && item.aspectRatio) {
      drawThumbHash(item.thumbhash, ground, item.aspectRatio, 20);
      // It would show through a picture with transparent parts.
      if (!isClear || !near) {
        const blurred = make("canvas", { "aria-hidden": "true" });
        drawThumbHash(item.thumbhash, blurred, item.aspectRatio, 20);
        this.picture.append(blurred);
      }
    } else if (near) {
      ground.getContext("2d")?.drawImage(near, 0, 0, 12, 12);
    }
    if (near) this.picture.append(copyOf(near));
    this.host.replaceChildren(ground, this.picture, this.note);
    if (item.failure) this.picture.replaceChildren(placeholder(item));
    this.refine();
  }

  /** Shows the picture of another item in the place of the one that is shown.
   * @param {Shown} item */
  replace(item) {
    this.unzoom();
    this.item = item;
    this.refine();
  }

  /** Size of the picture on the stage: as large as fits, never larger than its pixels.
   * @param {Shown} item */
  size(item) {
    const shown = this.loaded ?? { width: 2, height: 3 };
    const ratio = item.aspectRatio ?? shown.width / shown.height;
    const room = { width: this.host.clientWidth, height: this.host.clientHeight };
    const [width, height] = fitted(ratio, room);
    const most = item.original ?? largest(item);
    const scale = most ? Math.min(1, most.width / width) : 1;
    return { width: Math.round(width * scale), height: Math.round(height * scale) };
  }

  /** Loads the level for the size of the stage, unless it is there. */
  async refine() {
    const { item, picture } = this;
    if (!item || !picture || this.host.clientWidth === 0) return;
    const { width, height } = this.place(item, picture);
    if (item.failure || (!item.title && !item.thumbhash) || this.chosen) return;
    const url = thumbnailURL(item.item, levelFor(item, width, height).name);
    if (url !== this.url) await this.load(url);
  }

  /** @param {Shown} item @param {HTMLElement} picture */
  place(item, picture) {
    const size = this.size(item);
    setSize(picture, size.width, size.height);
    this.deep?.resize();
    const isTiny = item.original !== undefined && item.original.width < this.host.clientWidth * 0.4
      && item.original.height < this.host.clientHeight * 0.6;
    this.note.textContent = this.trouble || (isTiny && item.original
      ? t("asLargeAsItIs", { size: sizeText(item.original) }) : "");
    return size;
  }

  /** Tells why no sharper picture is shown.
   * @param {string} sentence */
  tell(sentence) {
    this.trouble = sentence;
    if (this.item && this.picture) this.place(this.item, this.picture);
  }

  /** Whether some picture of the item is shown, however small. */
  get hasPicture() { return Boolean(this.picture?.querySelector("img, .at-hand")); }

  /** Shows one level, in one format or in that which suits the browser; null for what fits.
   * @param {{level: string, format: string} | null} wanted */
  async choose(wanted) {
    if (!this.item) return;
    this.chosen = wanted;
    if (!wanted) {
      this.url = "";
      await this.refine();
      return;
    }
    const { level, format } = wanted;
    await this.load(thumbnailURL(this.item.item, level, format === "jpeg" ? "jpg" : format));
  }

  /** Loads a level. One that is lost says nothing of the picture: that at hand stays, and the
   * level is asked for again.
   * @param {string} url @param {number} [attempt] from 1 */
  async load(url, attempt = 1) {
    this.url = url;
    const { picture, item } = this;
    const image = make("img", { src: url, alt: item?.title ?? "", fetchPriority: "high" });
    const hasCome = await image.decode().then(() => true, () => false);
    const isWanted = () => this.url === url && this.picture === picture;
    const failure = hasCome ? failureOf(image) : isLostPicture(url) ? null : "unavailable";
    // A level that is not wanted any more is better than none.
    const isUseful = isWanted() || (hasCome && !failure && !this.image && this.picture === picture);
    if (!picture || !item || !isUseful) return;
    if (failure) {
      this.host.dispatchEvent(new CustomEvent("failed", { detail: failure }));
      return;
    }
    if (!hasCome) {
      const status = statusOf(url);
      this.tell(status > 0 ? t("refused", { status })
        : t(navigator.onLine ? "unreachable" : "offline"));
      await recovery(attempt);
      if (isWanted()) this.load(url, attempt + 1);
      return;
    }
    if (isWanted()) this.trouble = "";
    learn(item, image);
    const { naturalWidth: width, naturalHeight: height } = image;
    const level = levelOf(url);
    this.loaded = { width, height, isFull: width === level?.width || height === level?.height };
    this.image = image;
    const isClear = isTransparent(item);
    picture.classList.toggle("is-clear", isClear);
    const olds = picture.querySelectorAll(isClear ? "img, canvas" : "img, .at-hand");
    for (const older of olds) older.remove();
    picture.append(image);
    if (isWanted()) this.place(item, picture);
    this.host.dispatchEvent(new CustomEvent("sharp", { bubbles: true, detail: url }));
  }

  /** Whether there is more to see than the stage shows. */
  get isLarge() {
    const item = this.item;
    if (!item || item.failure) return false;
    if (isScaled(item)) return true;
    const most = item.original ?? largest(item);
    // A picture that was just made for the first time is as large as its level, or larger.
    if (!most) return this.loaded?.isFull === true;
    return most.width > this.size(item).width * 1.2;
  }

  get isZoomed() { return this.deep !== null; }

  /** Zooms into the place that a mouse points at, or the middle.
   * @param {MouseEvent} [event] */
  zoom(event) {
    if (!this.isLarge || this.deep) return;
    const box = this.host.getBoundingClientRect();
    this.begin()?.easeBy(2, event && event.clientX - box.left, event && event.clientY - box.top);
  }

  /** Shows the whole picture on a canvas that can be zoomed and moved. */
  begin() {
    if (!this.item || this.deep) return this.deep;
    this.deep = new DeepZoom(this.host, this.item, this.loaded, () => this.unzoom());
    return this.deep;
  }

  unzoom() {
    if (!this.deep) return;
    const hadFocus = this.host.contains(document.activeElement);
    this.deep.close();
    this.deep = null;
    // What is removed takes the focus along, and with it the keys.
    if (hadFocus) this.host.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the zoom took it */
  press(event) { return this.deep?.press(event) ?? false; }

  /** One finger swipes, two zoom.
   * @param {(by: number) => void} onSwipe */
  listenForTouch(onSwipe) {
    const { host } = this;
    /** @type {Touch | null} */
    let start = null;
    let spread = 0;
    /** What comes in from the side: the next, 1, or the one before, -1.
     * @type {{by: number, picture: HTMLElement | null} | null} */
    let neighbor = null;
    const rest = () => {
      start = null;
      if (this.picture) this.picture.style.transform = "";
      neighbor?.picture?.remove();
      neighbor = null;
    };
    const move = (/** @type {TouchEvent} */ event) => {
      const { touches } = event;
      if (touches.length === 2 && event.target !== this.deep?.canvas) {
        event.preventDefault();
        this.pinch(touches, distance(touches) / spread);
        spread = distance(touches);
      } else if (start && this.picture && !isCalm.matches) {
        const across = touches[0].clientX - start.clientX;
        const by = across < 0 ? 1 : -1;
        if (neighbor?.by !== by) {
          neighbor?.picture?.remove();
          neighbor = { by, picture: this.showBeside(by) };
        }
        this.picture.style.transform = `translateX(${across}px)`;
        neighbor.picture?.style.setProperty(
          "transform", `translateX(${across + by * host.clientWidth}px)`);
      }
    };
    const end = (/** @type {TouchEvent} */ { type, target, targetTouches, changedTouches }) => {
      if (targetTouches.length === 0) {
        target?.removeEventListener("touchmove", /** @type {EventListener} */ (move));
        target?.removeEventListener("touchend", /** @type {EventListener} */ (end));
        target?.removeEventListener("touchcancel", /** @type {EventListener} */ (end));
      }
      const from = start;
      rest();
      if (!from || type === "touchcancel") return;
      const across = changedTouches[0].clientX - from.clientX;
      const down = changedTouches[0].clientY - from.clientY;
      if (Math.abs(across) > 48 && Math.abs(across) > 2 * Math.abs(down)) {
        onSwipe(across < 0 ? 1 : -1);
      }
    };
    host.addEventListener("touchstart", ({ target, touches }) => {
      rest();
      if (touches.length === 1 && !this.deep) start = touches[0];
      if (touches.length === 2) spread = distance(touches);
      // A finger's events go to what it touched, also after a sharper picture has replaced that.
      target?.addEventListener(
        "touchmove", /** @type {EventListener} */ (move), { passive: false });
      target?.addEventListener("touchend", /** @type {EventListener} */ (end));
      target?.addEventListener("touchcancel", /** @type {EventListener} */ (end));
    }, { passive: true });
  }

  /** The picture of a neighbor, which a swipe moves in.
   * @param {number} by */
  showBeside(by) {
    const neighbor = this.beside(by);
    if (!neighbor) return null;
    const { host } = this;
    const { width, height } = this.size(neighbor.item);
    const picture = make("div", { className: "picture is-beside", "aria-hidden": "true" },
      make("img", { src: neighbor.src, alt: "" }));
    setSize(picture, width, height);
    picture.style.left = `${(host.clientWidth - width) / 2}px`;
    picture.style.top = `${(host.clientHeight - height) / 2}px`;
    host.append(picture);
    return picture;
  }

  /** Two fingers that began on the whole picture zoom into it.
   * @param {TouchList} touches
   * @param {number} factor */
  pinch(touches, factor) {
    if (factor > 1 && this.isLarge) this.begin();
    const box = this.host.getBoundingClientRect();
    if (this.deep) this.deep.goal = null;
    this.deep?.zoomBy(
      factor, (touches[0].clientX + touches[1].clientX) / 2 - box.left,
      (touches[0].clientY + touches[1].clientY) / 2 - box.top);
  }
}

/** Returns the pixels of a picture, which need no second request, as one by its address may.
 * @param {HTMLImageElement} picture */
function copyOf(picture) {
  const copy = make("canvas", {
    className: "at-hand", "aria-hidden": "true",
    width: picture.naturalWidth, height: picture.naturalHeight,
  });
  copy.getContext("2d")?.drawImage(picture, 0, 0);
  return copy;
}
