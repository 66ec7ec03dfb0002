/** What stays in place while the layout changes: an item, a part of its height, and where it is in
 * the window.
 * @typedef {{index: number, part: number, y: number}} Anchor */

/** How many tiles of a row out of sight are built in a frame. */
const tilesPerFrame = 3;

/** The pictures of a feed, of which only those near the window exist as elements. */
class Grid {
  /** @param {HTMLElement} host @param {(index: number) => void} onOpen */
  constructor(host, onOpen) {
    this.host = host;
    this.onOpen = onOpen;
    /** @type {Feed} */
    this.feed = new Feed(null);
    /** @type {Row[]} */
    this.rows = [];
    /** @type {Map<number, HTMLElement>} rows that exist, by their number */
    this.built = new Map();
    this.size = Number(kept("size")) || sizes.usual;
    this.shape = 1;
    /** @type {"grid" | "rows" | "list"} */
    this.kind = "grid";
    this.width = 0;
    this.hasScrolled = false;
    this.isDragging = false;
    this.focused = 0;
    /** Whether all of the list is by one artist. */
    this.isOwn = false;
    /** Items whose shape became known after they were laid out.
     * @type {number[]} */
    this.reshaped = [];
    /** @type {number | undefined} */
    this.frame = undefined;
    /** Whether rows may be missing. */
    this.isMoved = false;
    /** When the page was scrolled last, in milliseconds. */
    this.movedAt = -1000;
    /** The part of the grid that is in the window. */
    this.sight = { top: 0, bottom: 0 };
    addEventListener("scroll", () => this.soon(), { passive: true });
    // Not for heights: phones change them while they scroll.
    new ResizeObserver(() => {
      if (this.host.clientWidth !== this.width) this.arrange(this.middle());
    }).observe(host);
    host.addEventListener("click", (event) => this.click(event));
    this.keys = new GridKeys(this);
    // Events of pictures don't bubble, but can be caught on their way down.
    for (const [kind, act] of /** @type {const} */ ([["load", reveal], ["error", retry]])) {
      host.addEventListener(kind, ({ target }) => {
        const index = this.indexOf(target);
        const item = this.items[index];
        if (!item || !(target instanceof HTMLImageElement)) return;
        const isNew = !item.aspectRatio;
        act(target, item, this.isMoving);
        if (isNew && item.aspectRatio && this.kind === "rows") this.reshaped.push(index);
        if (this.reshaped.length > 0) this.reshapeSoon();
      }, { capture: true });
    }
  }

  /** @param {Feed} feed @param {"grid" | "rows" | "list"} kind @param {number} shape
   * @param {boolean} isOwn */
  show(feed, kind, shape, isOwn) {
    this.feed = feed;
    this.isOwn = isOwn;
    this.reshaped = [];
    this.kind = kind;
    this.shape = shape;
    this.focused = 0;
    this.hasScrolled = false;
    // Tiles are known by their numbers: those of the list before would stand for others.
    const hadFocus = this.host.contains(document.activeElement);
    for (const number of [...this.built.keys()]) this.drop(number);
    this.arrange();
    if (hadFocus) this.focus(0, false);
  }

  /** @returns {Plan} */
  get plan() {
    const width = this.width;
    const gap = this.kind === "list" ? 0 : this.size < leastCaption ? 8 : 14;
    return { kind: this.kind, width, size: this.size, gap, shape: this.shape };
  }

  /** Lays all items out anew.
   * @param {Anchor | null} [anchor] what stays where it is
   * @param {boolean} [isSmooth] */
  arrange(anchor = null, isSmooth = false) {
    this.width = this.host.clientWidth;
    const before = isSmooth && !isCalm.matches ? placesOf(this.host) : null;
    this.rows = [];
    layOut(this.items, this.plan, this.rows);
    this.setHeight();
    const old = [...this.built.values()];
    this.built.clear();
    // Tiles of a list have other parts.
    spareTiles.length = 0;
    const tiles = this.tilesOf(old);
    const hadFocus = this.host.contains(document.activeElement);
    if (anchor) this.scrollToAnchor(anchor);
    this.render(tiles);
    for (const row of old) row.remove();
    // An element that moves to another row loses its focus.
    if (hadFocus) this.focus(this.focused, false);
    if (before) glide(this.host, before);
  }

  /** Tiles of rows, which move to their new rows so that their pictures stay.
   * @param {HTMLElement[]} rows @returns {Map<number, HTMLElement>} */
  tilesOf(rows) {
    return new Map(rows.flatMap((row) =>
      [...row.children].map((tile) => [this.indexOf(tile), /** @type {HTMLElement} */ (tile)])));
  }

  /** Lays out what the feed has got since. */
  append() {
    const end = this.rows.length - 1;
    const last = this.rows[end];
    layOut(this.items, this.plan, this.rows);
    this.setHeight();
    if (last && this.rows[end] !== last) this.rebuild(end);
    this.render();
  }

  /** Builds a row that exists anew, after its layout changed.
   * @param {number} number */
  rebuild(number) {
    const element = this.built.get(number);
    if (!element) return;
    const hadFocus = element.contains(document.activeElement);
    this.built.delete(number);
    if (this.rows[number]) this.build(number, this.tilesOf([element]));
    element.remove();
    if (hadFocus) this.focus(this.focused, false);
  }

  /** Lays justified rows out again for shapes that have become known: at once if they are all below
   * what is in sight, else when all pictures in sight have come. */
  reshapeSoon() {
    const inSight = [...this.built].filter(([number]) => this.isShown(this.rows[number]));
    const isWaiting = inSight.some(([, row]) =>
      row.querySelector(".frame:not(:has(.is-there, .placeholder))"));
    const end = Math.max(-1, ...inSight.map(([number]) => number));
    if (isWaiting && this.reshaped.some((index) => rowOf(this.rows, index) <= end)) return;
    this.reshaped = [];
    this.arrange(this.middle(), true);
  }

  get items() { return this.feed.items; }

  /** @param {number} size of tiles in CSS pixels @param {Anchor | null} anchor
   * @param {boolean} [isSmooth] */
  setSize(size, anchor, isSmooth = false) {
    const wanted = Math.round(Math.min(Math.max(size, sizes.least), sizes.most));
    $("size").value = String(wanted);
    if (wanted === this.size) return;
    this.size = wanted;
    keep("size", String(wanted));
    this.arrange(anchor, isSmooth);
  }

  /** The item at a place of the window, or the nearest.
   * @param {number} x
   * @param {number} y @returns {Anchor | null} */
  anchor(x, y) {
    if (this.rows.length === 0) return null;
    const box = this.host.getBoundingClientRect();
    const row = this.rows[rowAt(this.rows, y - box.top)];
    const column = row.cells.findLastIndex((cell) => cell.left <= x - box.left);
    return {
      index: row.first + Math.max(0, column), part: (y - box.top - row.top) / row.height, y,
    };
  }

  /** The item in the middle of the window. At the top of the page, the top stays.
   * @returns {Anchor | null} */
  middle() {
    return scrollY < 8 ? null : this.anchor(innerWidth / 2, innerHeight / 2);
  }

  /** Whether the page is long enough to scroll to a place.
   * @param {Anchor} anchor */
  reaches({ index, part, y }) {
    const row = this.rows[rowOf(this.rows, index)];
    const last = this.rows.at(-1);
    if (!row || !last || index >= this.items.length) return false;
    return row.top + part * row.height - y + innerHeight <= last.top + last.height;
  }

  /** @param {Anchor} anchor */
  scrollToAnchor({ index, part, y }) {
    const row = this.rows[rowOf(this.rows, index)];
    if (row) scrollTo(0, this.offset + row.top + part * row.height - y);
  }

  setHeight() {
    const last = this.rows.at(-1);
    this.host.style.height = `${last ? last.top + last.height : 0}px`;
    this.host.setAttribute("aria-rowcount", String(this.feed.next ? -1 : this.rows.length));
    this.host.setAttribute("aria-colcount", String(columns(this.plan)));
    this.host.dataset.kind = this.kind;
    // The names of a table's columns stand over them.
    this.host.parentElement?.style.setProperty("--frame", `${this.rows[0]?.frame ?? 0}px`);
  }

  /** Renders before the next frame, once. */
  soon() {
    this.hasScrolled ||= scrollY > 0;
    this.isMoved = true;
    this.movedAt = performance.now();
    this.next();
  }

  /** Builds rows in a frame, or else asks for pictures and draws blurred ones: a few in each. */
  next() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      const begin = performance.now();
      if (this.isMoved) this.render();
      const isLate = performance.now() - begin > 2;
      if (isLate || this.fill()) this.next();
    });
  }

  get isMoving() { return performance.now() - this.movedAt < 150; }

  /** Height of the page above the grid. */
  get offset() { return this.host.getBoundingClientRect().top + scrollY; }

  /** Builds the rows near the window, and removes the others.
   * @param {Map<number, HTMLElement>} [tiles] those to use again */
  render(tiles) {
    this.isMoved = false;
    if (this.rows.length === 0) {
      for (const number of [...this.built.keys()]) this.drop(number);
      return;
    }
    // Read before anything changes, so that the browser lays out once.
    const top = scrollY - this.offset;
    const room = innerHeight;
    const margin = this.hasScrolled ? room * 0.5 : 120;
    this.sight = { top, bottom: top + room };
    const first = rowAt(this.rows, top - margin);
    const last = rowAt(this.rows, top + room + margin);
    const focus = this.host.contains(document.activeElement) ? rowOf(this.rows, this.focused) : -1;
    for (const number of [...this.built.keys()]) {
      if ((number < first || number > last) && number !== focus) this.drop(number);
    }
    // A long jump is built over several frames, what is in sight first.
    const end = performance.now() + (tiles ? 50 : 2);
    const wanted = [];
    for (let number = first; number <= last; number++) {
      if (!this.isWhole(number)) wanted.push(number);
    }
    const middle = rowAt(this.rows, top + room / 2);
    wanted.sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle));
    for (const number of wanted) {
      if (performance.now() > end) {
        this.soon();
        break;
      }
      this.build(number, tiles);
      // The rest of a row ahead is built in the next frames.
      if (this.isWhole(number)) continue;
      this.isMoved = true;
      break;
    }
    this.keys.settle();
    this.next();
    const isNear = top + room * 2.5 > (this.rows.at(-1)?.top ?? 0);
    if (isNear && this.feed.canGoOn) this.feed.load();
  }

  /** Asks for pictures and draws blurred ones; returns whether more wait. */
  fill() {
    if (blurs.length === 0) return requestPictures();
    const inSight = [...this.built].filter(([number]) => this.isShown(this.rows[number]));
    return [requestPictures(), drawBlurs(new Set(inSight.map(([, row]) => row)))].some(Boolean);
  }

  /** Whether some of a row is in the window.
   * @param {Row} row */
  isShown({ top, height }) { return top < this.sight.bottom && top + height > this.sight.top; }

  /** @param {number} number */
  drop(number) {
    const row = this.built.get(number);
    if (!row) return;
    this.built.delete(number);
    row.remove();
    this.keys.leave(row);
    spareTilesOf(row);
  }

  /** Whether all tiles of a row exist.
   * @param {number} number */
  isWhole(number) {
    return this.built.get(number)?.children.length === this.rows[number].cells.length;
  }

  /** Builds a row, or more of one that is begun. A row out of sight gets a few tiles at a time, so
   * that no frame takes long.
   * @param {number} number @param {Map<number, HTMLElement>} [tiles] those to use again
   * @param {boolean} [isAtOnce] whether the whole row is wanted wherever it is */
  build(number, tiles, isAtOnce = Boolean(tiles)) {
    const row = this.rows[number];
    const isInSight = this.isShown(row);
    const element = this.built.get(number) ?? this.begin(number);
    const begun = element.children.length;
    const end = isAtOnce || isInSight ? row.cells.length : begun + tilesPerFrame;
    row.cells.slice(begun, end).forEach((cell, place) => {
      const column = begun + place;
      const index = row.first + column;
      const known = tiles?.get(index);
      const tile = known ?? makeTile(this.items[index], index, this.kind, this.isOwn);
      placeTile(tile, this.items[index], cell, row, this.kind, !known && isInSight);
      tile.setAttribute("aria-colindex", String(column + 1));
      element.append(tile);
    });
  }

  /** The element of a row, without its tiles.
   * @param {number} number */
  begin(number) {
    const row = this.rows[number];
    const element = make("div", { role: "row", className: "row", "aria-rowindex": number + 1 });
    // Not a transform: each would be a layer of its own for the browser to arrange.
    element.style.top = `${row.top}px`;
    element.style.height = `${row.height}px`;
    // In the order of the items, which is that of the keyboard.
    const after = Math.min(...[...this.built.keys()].filter((other) => other > number));
    this.host.insertBefore(element, this.built.get(after) ?? null);
    this.built.set(number, element);
    return element;
  }

  /** The tile of an item, if it exists.
   * @param {number} index @returns {HTMLElement | null} */
  tile(index) { return this.host.querySelector(`[data-index="${index}"]`); }

  /** @param {EventTarget | null} target @returns {number} -1 outside of tiles */
  indexOf(target) { return Number(around(target, "[data-index]")?.dataset.index ?? -1); }

  /** @param {MouseEvent} event */
  click(event) {
    if (around(event.target, ".star")) toggleFavorite(this.items[this.indexOf(event.target)]);
    const link = around(event.target, "a.open");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (!this.isDragging) this.onOpen(this.indexOf(link));
  }

  /** The item of another row that is nearest.
   * @param {number} row @param {number} index */
  beside(row, index) {
    const wanted = this.rows[row];
    if (!wanted) return index;
    const from = this.cell(index);
    const middle = from.left + from.width / 2;
    const distance = (/** @type {Cell} */ cell) => Math.abs(cell.left + cell.width / 2 - middle);
    let best = 0;
    wanted.cells.forEach((cell, at) => {
      if (distance(cell) < distance(wanted.cells[best])) best = at;
    });
    return wanted.first + best;
  }

  /** @param {number} index */
  cell(index) {
    const row = this.rows[rowOf(this.rows, index)];
    return row.cells[index - row.first];
  }

  /** Focuses a tile, wherever it is.
   * @param {number} index @param {boolean} [isRevealed] */
  focus(index, isRevealed = true) {
    if (index < 0 || index >= this.items.length) return;
    this.focused = index;
    if (isRevealed) this.reveal(index);
    // A frame's time may be up before the row is built.
    const row = rowOf(this.rows, index);
    if (this.rows[row]) this.build(row, undefined, true);
    /** @type {HTMLElement | null | undefined} */
    const link = this.tile(index)?.querySelector("a.open");
    link?.focus({ preventScroll: true });
  }

  /** Whether some of a tile is between header and footer.
   * @param {number} index */
  isInSight(index) {
    const row = this.rows[rowOf(this.rows, index)];
    if (!row) return false;
    const top = this.offset + row.top - scrollY;
    return top < innerHeight - $("footer").offsetHeight
      && top + row.frame > $("header").offsetHeight;
  }

  /** Scrolls as far as it takes to show a tile below the header.
   * @param {number} index */
  reveal(index) {
    const row = this.rows[rowOf(this.rows, index)];
    if (!row) return;
    const top = this.offset + row.top - $("header").offsetHeight - 12;
    const bottom = this.offset + row.top + row.height + 12 + $("footer").offsetHeight - innerHeight;
    // What stands above the first row belongs to it.
    if (scrollY > top) scrollTo(0, row.first === 0 ? 0 : top);
    else if (scrollY < bottom) scrollTo(0, bottom);
    this.render();
  }
}
