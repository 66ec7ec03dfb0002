/** Where the tiles are in the window, by their items.
 * @param {HTMLElement} host */
function placesOf(host) {
  const tiles = /** @type {NodeListOf<HTMLElement>} */ (host.querySelectorAll(".tile"));
  return new Map(Array.from(tiles, (tile) => [tile.dataset.index, tile.getBoundingClientRect()]));
}

/** Moves tiles from where they were to where they are.
 * @param {HTMLElement} host @param {ReturnType<typeof placesOf>} before */
function glide(host, before) {
  const after = placesOf(host);
  const moves = [];
  for (const tile of /** @type {NodeListOf<HTMLElement>} */ (host.querySelectorAll(".tile"))) {
    const from = before.get(tile.dataset.index);
    const to = after.get(tile.dataset.index);
    if (!from || !to || to.bottom < 0 || to.top > innerHeight) continue;
    const [x, y] = [from.left - to.left, from.top - to.top];
    moves.push(tile.animate(
      [{ transform: `translate(${x}px, ${y}px) scale(${from.width / to.width})` },
        { transform: "none" }],
      { duration: 200, easing: "ease-out" }));
  }
  // They pass through other rows.
  host.classList.add("is-gliding");
  Promise.allSettled(moves.map(({ finished }) => finished))
    .then(() => host.classList.remove("is-gliding"));
}

/** How far two fingers are apart.
 * @param {TouchList} touches */
function distance([one, other]) {
  return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
}

/** Changes the size by slider, wheel and pinch.
 * @param {Grid} grid */
function listenForZoom(grid) {
  const slider = $("size");
  Object.assign(slider, {
    min: String(sizes.least), max: String(sizes.most), step: "8", value: String(grid.size),
  });
  slider.addEventListener("input", () => grid.setSize(Number(slider.value), grid.middle()));

  /** @type {{scale: number, anchor: Anchor | null} | null} */
  let pending = null;
  const zoom = (/** @type {number} */ scale, /** @type {number} */ x, /** @type {number} */ y) => {
    // Several events of one frame are one change.
    if (pending) {
      pending.scale *= scale;
      return;
    }
    const change = { scale, anchor: grid.anchor(x, y) };
    pending = change;
    requestAnimationFrame(() => {
      pending = null;
      exact = Math.min(Math.max((exact ?? grid.size) * change.scale, sizes.least), sizes.most);
      grid.setSize(exact, change.anchor);
    });
  };
  /** The size between whole pixels.
   * @type {number | undefined} */
  let exact;
  addEventListener("wheel", (event) => {
    if (!event.ctrlKey || $("detail").open) return;
    event.preventDefault();
    if (Math.abs((exact ?? grid.size) - grid.size) > 1) exact = undefined;
    zoom(Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
  }, { passive: false });

  /** @type {{distance: number} | null} */
  let pinch = null;
  grid.host.addEventListener("touchstart", (event) => {
    pinch = event.touches.length === 2 ? { distance: distance(event.touches) } : null;
    exact = undefined;
  }, { passive: true });
  grid.host.addEventListener("touchmove", (event) => {
    if (!pinch || event.touches.length !== 2) return;
    event.preventDefault();
    const [one, other] = event.touches;
    const now = distance(event.touches);
    zoom(now / pinch.distance, (one.clientX + other.clientX) / 2,
      (one.clientY + other.clientY) / 2);
    pinch.distance = now;
  }, { passive: false });
}
