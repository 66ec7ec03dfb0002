/** A finger that rests on a tile makes its item a favorite, where it doesn't begin a drag.
 * @param {Grid} grid @param {() => boolean} isDragged whether fingers drag tiles */
function listenForHold(grid, isDragged) {
  const { host } = grid;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let [x, y] = [0, 0];
  const toggle = async (/** @type {Shown} */ item) => {
    if (!await toggleFavorite(item)) return;
    toast(t(item.favorite ? "kept" : "removed", item), () => toggleFavorite(item));
  };
  const end = () => {
    clearTimeout(timer);
    // The click that follows opens nothing, also when it comes late.
    if (grid.isDragging && !isDragged()) setTimeout(() => { grid.isDragging = false; }, 400);
  };
  host.addEventListener("pointerdown", (event) => {
    clearTimeout(timer);
    const item = grid.items[grid.indexOf(event.target)];
    if (event.pointerType === "mouse" || !event.isPrimary || !item || isDragged()) return;
    [x, y] = [event.clientX, event.clientY];
    timer = setTimeout(() => {
      grid.isDragging = true;
      navigator.vibrate?.(10);
      toggle(item);
    }, 500);
  });
  host.addEventListener("pointermove", (event) => {
    if (Math.hypot(event.clientX - x, event.clientY - y) > 10) clearTimeout(timer);
  });
  for (const name of ["pointerup", "pointercancel"]) host.addEventListener(name, end);
  host.addEventListener("contextmenu", (event) => grid.isDragging && event.preventDefault());
}
