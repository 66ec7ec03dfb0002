/** The large picture: the level at hand at once, then a sharper one; and the zoom into it. */
class Stage {
  /** @param {HTMLElement} host @param {(by: number) => void} onSwipe */
  constructor(host, onSwipe) {
    this.host = host;
    /** @type {Shown | null} */
    this.item = null;
    /** @type {DeepZoom | null} */
    this.deep = null;
    /** Size of the level that was loaded, and whether it fills the box of its level.
     * @type {{width: number, height: number, isFull: boolean} | null} */
    this.loaded = null;
    new ResizeObserver(() => this.refine()).observe(host);
    this.listenForSwipes(onSwipe);
    host.addEventListener("dblclick", () => this.isLarge && this.zoom());
  }

  /** @param {Shown} item @param {string | null} near a picture that the browser has already */
  show(item, near) {
    this.unzoom();
    this.item = item;
    this.url = "";
    this.loaded = null;
    this.picture = make("div", { className: "picture" });
    const ground = make("canvas", { className: "ground", "aria-hidden": "true" });
    if (item.thumbhash && item.aspectRatio) {
      drawThumbHash(item.thumbhash, ground, item.aspectRatio, 20);
      const blurred = make("canvas", { "aria-hidden": "true" });
      drawThumbHash(item.thumbhash, blurred, item.aspectRatio, 20);
      this.picture.append(blurred);
    }
    if (near) this.picture.append(make("img", { src: near, alt: "" }));
    this.host.replaceChildren(ground, this.picture);
    if (item.failure) this.picture.replaceChildren(placeholder(item));
    this.refine();
  }

  /** Size of the picture on the stage: as large as fits, never larger than its pixels. */
  get size() {
    const item = /** @type {Shown} */ (this.item);
    const ratio = item.aspectRatio ?? 2 / 3;
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
    const { width, height } = this.size;
    picture.style.width = `${width}px`;
    picture.style.height = `${height}px`;
    this.deep?.resize();
    if (item.failure || (!item.title && !item.thumbhash)) return;
    const url = thumbnailURL(item.item, levelFor(item, width, height).name);
    if (this.isChosen || url === this.url) return;
    await this.load(url);
  }

  /** Shows one level in one format. @param {string} level @param {string} format */
  async showAs(level, format) {
    if (!this.item) return;
    this.isChosen = true;
    await this.load(thumbnailURL(this.item.item, level, format === "jpeg" ? "jpg" : format));
    this.isChosen = false;
  }

  /** @param {string} url */
  async load(url) {
    this.url = url;
    const { picture } = this;
    const image = make("img", { src: url, alt: this.item?.title ?? "", fetchPriority: "high" });
    try {
      await image.decode();
    } catch {
      // The picture at hand stays.
      return;
    }
    if (this.url !== url || this.picture !== picture) return;
    const { naturalWidth: width, naturalHeight: height } = image;
    const level = levels.find(({ name }) => url.startsWith(`/t/${name}/`));
    this.loaded = { width, height, isFull: width === level?.width || height === level?.height };
    for (const older of picture.querySelectorAll("img")) older.remove();
    picture.append(image);
    this.host.dispatchEvent(new CustomEvent("sharp", { bubbles: true, detail: url }));
  }

  /** Whether there is more to see than the stage shows. */
  get isLarge() {
    const item = this.item;
    if (!item || item.failure) return false;
    // The museum's originals are fetched at the size of a level, and are larger.
    if (item.item.startsWith("rijksmuseum/")) return true;
    const most = item.original ?? largest(item);
    // A picture that was just made for the first time is as large as its level, or larger.
    if (!most) return this.loaded?.isFull === true;
    return most.width > this.size.width * 1.2;
  }

  get isZoomed() { return this.deep !== null; }

  zoom() {
    if (!this.item || this.deep) return;
    this.deep = new DeepZoom(this.host, this.item, this.loaded, () => this.unzoom());
  }

  unzoom() {
    this.deep?.close();
    this.deep = null;
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the zoom took it */
  press(event) { return this.deep?.press(event) ?? false; }

  /** @param {(by: number) => void} onSwipe */
  listenForSwipes(onSwipe) {
    /** @type {{x: number, y: number} | null} */
    let start = null;
    this.host.addEventListener("touchstart", ({ touches }) => {
      start = touches.length === 1 && !this.deep
        ? { x: touches[0].clientX, y: touches[0].clientY } : null;
    }, { passive: true });
    this.host.addEventListener("touchmove", ({ touches }) => {
      if (!start || !this.picture || isCalm.matches) return;
      const across = touches[0].clientX - start.x;
      this.picture.style.transform = `translateX(${across}px)`;
    }, { passive: true });
    this.host.addEventListener("touchend", ({ changedTouches }) => {
      if (!start || !this.picture) return;
      const across = changedTouches[0].clientX - start.x;
      const down = changedTouches[0].clientY - start.y;
      start = null;
      this.picture.style.transform = "";
      if (Math.abs(across) > 48 && Math.abs(across) > 2 * Math.abs(down)) {
        onSwipe(across < 0 ? 1 : -1);
      }
    }, { passive: true });
  }
}
