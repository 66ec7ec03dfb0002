/** The tile of an item: a link with its picture and caption, and a star.
 * @param {Shown} item @param {number} index @param {string} kind */
function makeTile(item, index, kind) {
  const line = caption(item);
  const link = make(
    "a", {
      className: "open", href: viewAddress({ ...readView(), item: item.item }), draggable: false,
      title: item.title, "aria-label": line ? `${item.title}, ${line}` : item.title,
    },
    make("span", { className: "caption" },
      make("b", { lang: item.language ?? "" }, item.title),
      make("span", {}, line || "\u00a0"),
      kind === "list" ? make("span", { className: "genres" }, item.genres.join(", ")) : null));
  const tile = make("div", { role: "gridcell", className: "tile" }, link, starButton(item));
  tile.dataset.index = index;
  tile.dataset.item = item.item;
  return tile;
}

/**
 * Gives a tile its place and its picture the level for it.
 * @param {HTMLElement} tile @param {Shown} item @param {Cell} cell @param {Row} row
 * @param {string} kind @param {boolean} isUrgent
 */
function placeTile(tile, item, cell, row, kind, isUrgent) {
  const isList = kind === "list";
  const shape = Math.min(Math.max(item.aspectRatio ?? 1, 0.25), 4);
  const width = isList ? Math.round(Math.min(cell.frame * shape, cell.frame * 1.5)) : cell.width;
  const height = isList ? Math.round(width / shape) : cell.frame;
  tile.style.left = `${cell.left}px`;
  tile.style.width = `${cell.width}px`;
  tile.style.height = `${row.height}px`;
  tile.classList.toggle("is-bare", !isList && row.height === row.frame);
  const link = /** @type {HTMLElement} */ (tile.firstElementChild);
  let frame = /** @type {HTMLElement | null} */ (link.querySelector(".frame"));
  if (frame) {
    resizePicture(frame, item, width, height);
  } else {
    frame = /** @type {HTMLElement} */ (pictureFrame(item, width, height, isUrgent));
    link.prepend(frame);
  }
  frame.style.width = `${width}px`;
  frame.style.height = `${height}px`;
  // Pictures of one row stand on one line.
  frame.style.marginTop = isList ? "" : `${row.frame - cell.frame}px`;
}

document.addEventListener("favorite", (event) => {
  const item = /** @type {CustomEvent<Shown>} */ (event).detail;
  for (const tile of document.querySelectorAll(`[data-item="${CSS.escape(item.item)}"]`)) {
    const star = /** @type {HTMLElement | null} */ (tile.querySelector(".star"));
    if (star) showStar(star, item);
  }
});
