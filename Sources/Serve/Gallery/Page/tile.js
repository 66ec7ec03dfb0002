/** What all tiles share: a link with a caption, and a star. The grid makes one of the links a stop
 * of the Tab key. */
const tileModel = make("div", { role: "gridcell", className: "tile" },
  make("a", { className: "open", draggable: false, tabIndex: -1 },
    make("span", { className: "caption" },
      make("b"), make("span", { className: "line" }, make("span"), make("span")))),
  make("button", { className: "star", type: "button", tabIndex: -1 }, icon("star")));

/** Who made it, unless that is its year; and the year. Of a file, its directory below the shown
 * one: its date says nothing of the picture.
 * @param {Shown} item
 * @param {boolean} isOwn whether all of the list is by one artist */
function caption({ item, subtitle, date }, isOwn) {
  if (isFile(item)) return { maker: below(readView().dir, subtitle ?? ""), year: "" };
  const year = date?.slice(0, 4) ?? "";
  const maker = isOwn || !subtitle || subtitle === year ? "" : subtitle;
  return { maker, year: maker.includes(year) ? "" : year };
}

/** Whether an item is a file of a folder.
 * @param {string} item */
function isFile(item) { return item.split("/")[1] === "file"; }

/** What is left of a path below a directory.
 * @param {string} directory @param {string} path */
function below(directory, path) {
  if (path === directory) return "";
  return directory && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
}

/** The size of an item's original, if it is known.
 * @param {Shown} item */
function originalText(item) {
  return item.original && !isScaled(item) ? sizeText(item.original) : "";
}

/** Names the columns of the table, and hides those that nothing in the list has.
 * @param {Shown[]} items @param {boolean} isOwn */
function showColumns(items, isOwn) {
  /** @type {Record<string, (item: Shown) => unknown>} */
  const columns = {
    maker: (item) => caption(item, isOwn).maker, year: (item) => caption(item, isOwn).year,
    genre: ({ genres }) => genres.length > 0, original: originalText,
  };
  for (const [name, value] of Object.entries(columns)) {
    $("grid").parentElement?.classList.toggle(`lacks-${name}`, !items.some(value));
  }
  const hasFiles = items.some(({ item }) => isFile(item));
  $("columns").children[1].textContent = t(hasFiles ? "directory" : "maker");
}

/** Tiles of rows that are gone, for those to come, so that a scroll leaves little to collect. All are
 * of one kind.
 * @type {HTMLElement[]} */
const spareTiles = [];

/** @param {Element} row */
function spareTilesOf(row) {
  for (const tile of /** @type {HTMLCollectionOf<HTMLElement>} */ (row.children)) {
    tile.querySelector(".frame")?.remove();
    spareTiles.push(tile);
  }
}

/** The tile of an item, without its picture.
 * @param {Shown} item @param {number} index @param {string} kind @param {boolean} isOwn */
function makeTile(item, index, kind, isOwn) {
  const { maker, year } = caption(item, isOwn);
  const tile = spareTiles.pop() ?? copy(tileModel);
  const link = /** @type {HTMLAnchorElement} */ (tile.firstElementChild);
  const texts = /** @type {HTMLElement} */ (link.firstElementChild);
  const [title, line] = /** @type {HTMLCollectionOf<HTMLElement>} */ (texts.children);
  link.href = itemAddress(item.item);
  link.title = item.title;
  link.setAttribute("aria-label", [item.title, maker, year].filter(Boolean).join(", "));
  title.textContent = item.title;
  title.lang = item.language ?? "";
  const facts = kind === "list" ? [item.genres.join(", "), originalText(item)] : [];
  [maker, year, ...facts].forEach((text, column) => {
    (line.children[column] ?? line.appendChild(make("span"))).textContent = text;
  });
  const star = /** @type {HTMLElement} */ (tile.lastElementChild);
  star.hidden = item.favorite === undefined;
  if (!star.hidden) showStar(star, item);
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
  const width = kind === "list" ? row.frame : cell.width;
  tile.style.left = `${cell.left}px`;
  setSize(tile, cell.width, row.height);
  tile.classList.toggle("is-bare", kind !== "list" && row.height === row.frame);
  const link = /** @type {HTMLElement} */ (tile.firstElementChild);
  const frame = /** @type {HTMLElement} */ (link.firstElementChild);
  if (frame.classList.contains("frame")) resizePicture(frame, item, width, row.frame);
  else link.prepend(pictureFrame(item, width, row.frame, isUrgent));
}

/** @param {HTMLElement} star @param {Shown} item */
function showStar(star, item) {
  const name = t("favorite", item);
  star.setAttribute("aria-pressed", String(item.favorite));
  star.setAttribute("aria-label", name);
  star.title = name;
}

/** @param {Size} size */
function sizeText({ width, height }) { return `${width} × ${height}`; }

document.addEventListener("favorite", (event) => {
  const item = /** @type {CustomEvent<Shown>} */ (event).detail;
  for (const tile of document.querySelectorAll(`[data-item="${CSS.escape(item.item)}"]`)) {
    const star = /** @type {HTMLElement | null} */ (tile.querySelector(".star"));
    if (star) showStar(star, item);
  }
});
