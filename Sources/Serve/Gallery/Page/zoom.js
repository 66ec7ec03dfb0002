/** What stays in place while the layout changes: an item, a part of its height, and where it is in
 * the window. @typedef {{index: number, part: number, y: number}} Anchor */

Object.assign(Grid.prototype, {
  /** The item at a place of the window, or the nearest. @this {Grid} @param {number} x
   * @param {number} y @returns {Anchor | null} */
  anchor(x, y) {
    if (this.rows.length === 0) return null;
    const top = y - this.host.getBoundingClientRect().top;
    const row = this.rows[rowAt(this.rows, top)];
    const left = x - this.host.getBoundingClientRect().left;
    let column = row.cells.findLastIndex((cell) => cell.left <= left);
    column = Math.max(0, column);
    return { index: row.first + column, part: (top - row.top) / row.height, y };
  },

  /** The item in the middle of the window. At the top of the page, the top stays.
   * @this {Grid} @returns {Anchor | null} */
  middle() {
    return scrollY < 8 ? null : this.anchor(innerWidth / 2, innerHeight / 2);
  },

  /** @this {Grid} @param {Anchor} anchor */
  scrollToAnchor({ index, part, y }) {
    const row = this.rows[rowOf(this.rows, index)];
    if (row) scrollTo(0, this.offset + row.top + part * row.height - y);
  },

  /** Where the tiles are in the window. @this {Grid} */
  places() {
    const places = new Map();
    for (const tile of this.host.querySelectorAll(".tile")) {
      places.set(this.indexOf(tile), tile.getBoundingClientRect());
    }
    return places;
  },

  /** Moves tiles from where they were to where they are. @this {Grid}
   * @param {Map<number, DOMRect>} before */
  glide(before) {
    for (const tile of this.host.querySelectorAll(".tile")) {
      const from = before.get(this.indexOf(tile));
      const to = tile.getBoundingClientRect();
      if (!from || to.bottom < 0 || to.top > innerHeight) continue;
      const [x, y] = [from.left - to.left, from.top - to.top];
      tile.animate(
        [{ transform: `translate(${x}px, ${y}px) scale(${from.width / to.width})` },
          { transform: "none" }],
        { duration: 200, easing: "ease-out" });
    }
  },

  /** @this {Grid} @param {number} size of tiles in CSS pixels @param {Anchor | null} anchor
   * @param {boolean} [isSmooth] */
  setSize(size, anchor, isSmooth = false) {
    const wanted = Math.round(Math.min(Math.max(size, sizes.least), sizes.most));
    $("size").value = wanted;
    if (wanted === this.size) return;
    this.size = wanted;
    keep("size", String(wanted));
    this.arrange(anchor, isSmooth);
  },
});

/** Changes the size by slider, wheel, pinch and keys. @param {any} grid */
function listenForZoom(grid) {
  const slider = $("size");
  Object.assign(slider, { min: sizes.least, max: sizes.most, step: 8, value: grid.size });
  slider.addEventListener("input", () => grid.setSize(Number(slider.value), grid.middle()));

  /** @type {{scale: number, anchor: Anchor | null} | null} */
  let pending = null;
  const zoom = (/** @type {number} */ scale, /** @type {number} */ x, /** @type {number} */ y) => {
    // Several events of one frame are one change.
    if (pending) {
      pending.scale *= scale;
      return;
    }
    pending = { scale, anchor: grid.anchor(x, y) };
    requestAnimationFrame(() => {
      const { scale, anchor } = /** @type {NonNullable<typeof pending>} */ (pending);
      pending = null;
      exact = Math.min(Math.max((exact ?? grid.size) * scale, sizes.least), sizes.most);
      grid.setSize(exact, anchor);
    });
  };
  /** The size between whole pixels. @type {number | undefined} */
  let exact;
  addEventListener("wheel", (event) => {
    if (!event.ctrlKey || $("detail").open) return;
    event.preventDefault();
    if (Math.abs((exact ?? grid.size) - grid.size) > 1) exact = undefined;
    zoom(Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
  }, { passive: false });

  /** @type {{distance: number} | null} */
  let pinch = null;
  const spread = (/** @type {TouchList} */ touches) => Math.hypot(
    touches[0].clientX - touches[1].clientX, touches[0].clientY - touches[1].clientY);
  grid.host.addEventListener("touchstart", (/** @type {TouchEvent} */ event) => {
    pinch = event.touches.length === 2 ? { distance: spread(event.touches) } : null;
    exact = undefined;
  }, { passive: true });
  grid.host.addEventListener("touchmove", (/** @type {TouchEvent} */ event) => {
    if (!pinch || event.touches.length !== 2) return;
    event.preventDefault();
    const [one, other] = event.touches;
    const distance = spread(event.touches);
    zoom(distance / pinch.distance, (one.clientX + other.clientX) / 2,
      (one.clientY + other.clientY) / 2);
    pinch.distance = distance;
  }, { passive: false });
}
