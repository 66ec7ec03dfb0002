/** @typedef {Size & {scaleFactors: number[]}} Tiling */

/**
 * Pans and zooms over the tiles of the IIIF Image API. A picture without tiles shows its largest
 * level. Coordinates are pixels of the whole picture; `scale` is CSS pixels for each of them.
 */
class DeepZoom {
  /** @param {HTMLElement} host @param {Shown} item
   * @param {{width: number, height: number} | null} shown size of the level on the stage
   * @param {() => void} onEnd */
  constructor(host, item, shown, onEnd) {
    this.host = host;
    this.onEnd = onEnd;
    this.address = `/iiif/3/${encodeURIComponent(item.item)}`;
    const size = item.original ?? largest(item) ?? shown ?? { width: 1280, height: 1920 };
    this.width = size.width;
    this.height = size.height;
    /** The original's width, if it is known. */
    this.whole = item.original?.width ?? 0;
    /** Where the picture's corner is on the stage, in CSS pixels. */
    this.x = 0;
    this.y = 0;
    this.scale = 1;
    /** @type {number | undefined} */
    this.frame = undefined;
    this.control = new AbortController();
    /** @type {Tiling | null} */
    this.tiling = null;
    /** @type {Map<string, HTMLImageElement>} */
    this.tiles = new Map();
    /** How often each tile failed. @type {Map<string, number>} */
    this.failures = new Map();
    /** Whether tiles turned out to be impossible. */
    this.isSettled = false;
    const hint = t(isTouched.matches ? "touchZoomHint" : "zoomHint");
    this.canvas = make("canvas", { className: "deep", tabIndex: 0, role: "img",
      "aria-label": `${item.title}. ${hint}` });
    this.hint = make("p", { className: "hint", role: "status" }, hint);
    /** What is wrong, in a sentence. */
    this.said = "";
    this.percent = make("span", { className: "percent" });
    this.buttons = make("div", { className: "steps" }, this.percent,
      tool(t("zoomOut"), "minus", () => this.easeBy(1 / 1.6)),
      tool(t("zoomIn"), "plus", () => this.easeBy(1.6)),
      tool(t("close"), "close", onEnd));
    /** How many of the tiles in sight have come. */
    this.progress = make("progress", { className: "making", "aria-label": t("loading") });
    /** Where a zoom ends that is under way, and the place of the stage that stays.
     * @type {{scale: number, x: number, y: number} | null} */
    this.goal = null;
    /** Pixels in a millisecond after a throw.
     * @type {{x: number, y: number} | null} */
    this.drift = null;
    this.steppedAt = 0;
    host.append(this.canvas, this.progress, this.buttons, this.hint);
    host.classList.add("is-zoomed");
    // Nothing is sharper at first than the largest level, and nothing else may ever be.
    this.base = new Image();
    this.base.onload = () => this.soon();
    this.base.src = thumbnailURL(item.item, levels[levels.length - 1].name);
    this.fit();
    addEventListener("online", () => this.askAgain(), { signal: this.control.signal });
    setTimeout(() => this.said || this.hint.classList.add("is-gone"), 3000);
    listenForPan(this);
    this.canvas.focus();
    this.start();
  }

  /** Asks what there is to zoom into.
   * @param {RequestCache} [cache] */
  async start(cache) {
    const { signal } = this.control;
    try {
      const info = /** @type {ImageInformation} */ (await askUntilAnswered(
        `${this.address}/info.json`, { signal, cache }, (error) => this.say(reason(error, ""))));
      this.say("");
      const tiles = info.tiles?.[0];
      const [x, y] = this.center();
      const grown = info.width / this.width;
      this.width = info.width;
      this.height = info.height;
      if (tiles) {
        this.tiling = {
          width: tiles.width, height: tiles.height ?? tiles.width,
          scaleFactors: [...tiles.scaleFactors].sort((one, other) => one - other),
        };
      } else {
        this.showWhole();
      }
      // Of a picture that is too large, the service offers its largest level.
      if (info.width < this.whole) this.sayLevel();
      this.scale = this.bounded(this.scale / grown);
      if (this.goal) this.goal.scale /= grown;
      this.centerOn(x * grown, y * grown);
    } catch {
      if (signal.aborted) return;
      this.sayLevel();
    }
    if (!this.tiling) this.progress.hidden = true;
    this.soon();
  }

  sayLevel() { this.say(t("zoomLevel")); }

  /** Shows a sentence that stays; an empty one brings back what can be done.
   * @param {string} sentence */
  say(sentence) {
    if (!sentence && !this.said) return;
    this.said = sentence;
    this.hint.textContent = sentence || t(isTouched.matches ? "touchZoomHint" : "zoomHint");
    this.hint.classList.toggle("is-gone", !sentence);
  }

  /** Shows the largest level: the service found that it can't make tiles of this picture. */
  async settle() {
    if (this.isSettled) return;
    this.isSettled = true;
    this.tiles.clear();
    await this.start("reload");
    this.sayLevel();
  }

  /** Shows the whole picture as large as it is made: its source forbids parts. */
  showWhole() {
    const whole = new Image();
    whole.onload = () => {
      this.base = whole;
      this.soon();
    };
    whole.src = `${this.address}/full/max/0/default.jpg`;
  }

  close() {
    this.control.abort();
    this.tiles.clear();
    this.host.classList.remove("is-zoomed");
    for (const element of [this.canvas, this.progress, this.buttons, this.hint]) element.remove();
  }

  get room() { return { width: this.host.clientWidth, height: this.host.clientHeight }; }

  get least() {
    return Math.min(this.room.width / this.width, this.room.height / this.height, 1);
  }

  /** Two screen pixels for each of the picture. */
  get most() { return Math.max(2 / (devicePixelRatio || 1), this.least); }

  fit() {
    this.goal = this.drift = null;
    this.scale = this.least;
    this.centerOn(this.width / 2, this.height / 2);
  }

  resize() {
    this.scale = Math.max(this.scale, this.least);
    this.moveBy(0, 0);
  }

  /** The picture's pixel in the middle of the stage.
   * @returns {[number, number]} */
  center() {
    const { width, height } = this.room;
    return [(width / 2 - this.x) / this.scale, (height / 2 - this.y) / this.scale];
  }

  /** @param {number} x @param {number} y */
  centerOn(x, y) {
    this.x = this.room.width / 2 - x * this.scale;
    this.y = this.room.height / 2 - y * this.scale;
    this.moveBy(0, 0);
  }

  /** @param {number} across @param {number} down */
  moveBy(across, down) {
    this.x = inside(this.x + across, this.width * this.scale, this.room.width);
    this.y = inside(this.y + down, this.height * this.scale, this.room.height);
    this.soon();
  }

  /** Zooms around a place of the stage, which stays.
   * @param {number} factor
   * @param {number} [x] @param {number} [y] */
  zoomBy(factor, x = this.room.width / 2, y = this.room.height / 2) {
    const scale = this.bounded(this.scale * factor);
    const grown = scale / this.scale;
    this.scale = scale;
    this.x = x - (x - this.x) * grown;
    this.y = y - (y - this.y) * grown;
    this.moveBy(0, 0);
  }

  /** @param {number} scale */
  bounded(scale) { return Math.min(Math.max(scale, this.least), this.most); }

  /** Whether the whole picture is shown, and stays so. */
  get isWhole() { return !this.goal && this.scale <= this.least * 1.01; }

  /** Zooms as `zoomBy` does, within some 150 ms. Leaves when the whole picture is to be smaller.
   * @param {number} factor @param {number} [x] @param {number} [y] */
  easeBy(factor, x = this.room.width / 2, y = this.room.height / 2) {
    if (factor < 1 && this.isWhole) {
      this.onEnd();
      return;
    }
    this.drift = null;
    const isMoving = this.goal !== null;
    this.goal = { scale: this.bounded((this.goal?.scale ?? this.scale) * factor), x, y };
    if (!isCalm.matches) {
      if (!isMoving) this.animate();
      return;
    }
    const { scale } = this.goal;
    this.goal = null;
    this.zoomBy(scale / this.scale, x, y);
  }

  /** Moves on after a throw, slower and slower.
   * @param {{x: number, y: number}} speed in pixels for each millisecond */
  throwBy(speed) {
    if (isCalm.matches || Math.hypot(speed.x, speed.y) < 0.2) return;
    this.drift = speed;
    this.animate();
  }

  animate() {
    this.steppedAt = performance.now();
    const step = () => {
      const now = performance.now();
      const passed = Math.min(now - this.steppedAt, 50);
      this.steppedAt = now;
      const { goal, drift } = this;
      if (!this.canvas.isConnected || (!goal && !drift)) return;
      if (goal) {
        const left = this.bounded(goal.scale) / this.scale;
        const isEnd = Math.abs(left - 1) < 0.004;
        this.zoomBy(isEnd ? left : left ** (1 - Math.exp(-passed / 40)), goal.x, goal.y);
        if (isEnd) this.goal = null;
      } else if (drift) {
        this.moveBy(drift.x * passed, drift.y * passed);
        const slower = Math.exp(-passed / 250);
        const isEnd = Math.hypot(drift.x, drift.y) < 0.02;
        this.drift = isEnd ? null : { x: drift.x * slower, y: drift.y * slower };
      }
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  soon() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      if (this.canvas.isConnected) this.draw();
    });
  }

  draw() {
    const pixels = devicePixelRatio || 1;
    const { width, height } = this.room;
    if (this.canvas.width !== Math.round(width * pixels)) this.canvas.width = width * pixels;
    if (this.canvas.height !== Math.round(height * pixels)) this.canvas.height = height * pixels;
    const context = this.canvas.getContext("2d");
    if (!context) return;
    const scale = pixels * this.scale;
    context.setTransform(scale, 0, 0, scale, pixels * this.x, pixels * this.y);
    context.save();
    context.resetTransform();
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.restore();
    if (this.base.naturalWidth) context.drawImage(this.base, 0, 0, this.width, this.height);
    this.percent.textContent = percentText(this.scale * pixels);
    if (!this.tiling) return;
    // Coarser tiles that are there already stand for those that are on their way.
    const { tiling } = this;
    const wanted = this.factor(tiling, pixels);
    for (const factor of [...tiling.scaleFactors].reverse()) {
      if (factor < wanted) continue;
      // Tiles of the sizes that a zoom passes through are not asked for.
      const [come, all] = this.drawTiles(context, tiling, factor, factor === wanted && !this.goal);
      if (factor !== wanted) continue;
      this.progress.hidden = come === all;
      this.progress.value = come / all;
    }
    if (this.tiles.size > 400) this.forget();
  }

  /** The largest factor of which each pixel of the screen has one.
   * @param {Tiling} tiling @param {number} pixels */
  factor({ scaleFactors }, pixels) {
    const most = 1.1 / (this.scale * pixels);
    return scaleFactors.findLast((factor) => factor <= most) ?? scaleFactors[0];
  }

  /** @param {CanvasRenderingContext2D} context @param {Tiling} tiling @param {number} factor
   * @param {boolean} isWanted @returns {[number, number]} tiles that have come, and all in sight */
  drawTiles(context, tiling, factor, isWanted) {
    const across = tiling.width * factor;
    const down = tiling.height * factor;
    const left = Math.max(0, Math.floor(-this.x / this.scale / across));
    const top = Math.max(0, Math.floor(-this.y / this.scale / down));
    const right = Math.min(this.width, (this.room.width - this.x) / this.scale);
    const bottom = Math.min(this.height, (this.room.height - this.y) / this.scale);
    let [come, all] = [0, 0];
    for (let y = top * down; y < bottom; y += down) {
      for (let x = left * across; x < right; x += across) {
        const width = Math.min(across, this.width - x);
        const height = Math.min(down, this.height - y);
        const tile = this.tile(x, y, width, height, factor, isWanted);
        all += 1;
        // One that failed is not waited for.
        if (tile?.complete) come += 1;
        if (tile?.naturalWidth) context.drawImage(tile, x, y, width, height);
      }
    }
    return [come, all];
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height
   * @param {number} factor @param {boolean} isWanted */
  tile(x, y, width, height, factor, isWanted) {
    const size = `${Math.ceil(width / factor)},${Math.ceil(height / factor)}`;
    const url = `${this.address}/${x},${y},${width},${height}/${size}/0/default.jpg`;
    const known = this.tiles.get(url);
    if (known || !isWanted) return known;
    const tile = new Image();
    tile.onload = () => this.soon();
    tile.onerror = () => this.retry(url);
    tile.src = url;
    this.tiles.set(url, tile);
    return tile;
  }

  /** Asks for a tile again, after longer and longer pauses: the queue was full, or the service
   * restarts.
   * @param {string} url */
  retry(url) {
    const status = statusOf(url);
    if (status >= 400 && status < 500 && status !== 429) {
      this.settle();
      return;
    }
    const attempts = (this.failures.get(url) ?? 0) + 1;
    this.failures.set(url, attempts);
    setTimeout(() => {
      this.tiles.delete(url);
      this.soon();
    }, pauseAfter(attempts) / 2);
  }

  /** Asks for everything that was lost, now that the device is online. */
  askAgain() {
    for (const [url, tile] of this.tiles) {
      if (tile.complete && !tile.naturalWidth) this.tiles.delete(url);
    }
    const { base } = this;
    if (base.complete && !base.naturalWidth) base.src = base.src;
    this.soon();
  }

  /** The tiles that were asked for first go. */
  forget() {
    for (const url of [...this.tiles.keys()].slice(0, 200)) this.tiles.delete(url);
  }

  /** @param {KeyboardEvent} event @returns {boolean} */
  press(event) {
    // There is nowhere to move to: the arrows go to the neighbors.
    if (this.isWhole && event.key.startsWith("Arrow")) return false;
    const step = 80;
    /** @type {Record<string, () => void>} */
    const acts = {
      ArrowLeft: () => this.moveBy(step, 0), ArrowRight: () => this.moveBy(-step, 0),
      ArrowUp: () => this.moveBy(0, step), ArrowDown: () => this.moveBy(0, -step),
      "+": () => this.easeBy(1.3), "=": () => this.easeBy(1.3), "-": () => this.easeBy(1 / 1.3),
      0: () => this.fit(),
    };
    acts[event.key]?.();
    return event.key in acts;
  }
}

/** Where something begins that stays within its room, or in its middle if it is smaller.
 * @param {number} at @param {number} size @param {number} room */
function inside(at, size, room) {
  return size <= room ? (room - size) / 2 : Math.min(0, Math.max(room - size, at));
}
