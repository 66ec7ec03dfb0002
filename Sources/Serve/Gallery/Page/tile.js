/** What all tiles share: a link with a caption, and a star. */
const tileModel = make("div", { role: "gridcell", className: "tile" },
  make("a", { className: "open", draggable: false },
    make("span", { className: "caption" }, make("b"), make("br"), make("span"))),
  make("button", { className: "star", type: "button", tabIndex: -1 }));

/** The tile of an item, without its picture.
 * @param {Shown} item @param {number} index @param {string} kind */
function makeTile(item, index, kind) {
  const line = caption(item);
  const tile = copy(tileModel);
  const link = /** @type {HTMLAnchorElement} */ (tile.firstElementChild);
  const texts = /** @type {HTMLElement} */ (link.firstElementChild);
  const title = /** @type {HTMLElement} */ (texts.firstElementChild);
  link.href = itemAddress(item.item);
  link.title = item.title;
  link.setAttribute("aria-label", line ? `${item.title}, ${line}` : item.title);
  title.textContent = item.title;
  title.lang = item.language ?? "";
  /** @type {Element} */ (texts.lastElementChild).textContent = line || "\u00a0";
  if (kind === "list") {
    texts.append(make("br"), make("span", { className: "genres" }, item.genres.join(", ")));
  }
  const star = /** @type {HTMLElement} */ (tile.lastElementChild);
  if (item.favorite === undefined) star.remove();
  else showStar(star, item);
  tile.dataset.index = String(index);
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
  let frame = /** @type {HTMLElement} */ (link.firstElementChild);
  if (frame.className === "frame") {
    resizePicture(frame, item, width, height);
  } else {
    frame = pictureFrame(item, width, height, isUrgent);
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
