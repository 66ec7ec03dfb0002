// Where each picture is. Pure: the same items and the same width give the same rows.

/** @typedef {{left: number, width: number, frame: number}} Cell `frame` is the picture's height */
/** @typedef {{first: number, top: number, height: number, frame: number, cells: Cell[]}} Row */
/** @typedef {{kind: "grid" | "rows" | "list", width: number, size: number, gap: number,
 *    shape: number}} Plan `size` is the width of a tile, or the height of a justified row */

/** Height of two lines below a picture. */
const captionHeight = 46;
/** Narrower tiles have no caption. */
const leastCaption = 100;

/** Width divided by height; extremes are limited.
 * @param {Shown} item @param {number} shape */
function ratio(item, shape) {
  return Math.min(Math.max(item.aspectRatio ?? shape, 0.25), 4);
}

/**
 * Lays out the items that have no row yet. The last row of justified pictures is laid out again,
 * because it may not have been full.
 * @param {Shown[]} items @param {Plan} plan @param {Row[]} rows
 */
function layOut(items, plan, rows) {
  if (plan.kind === "rows" && rows.length > 0) rows.pop();
  const last = rows.at(-1);
  let next = last ? last.first + last.cells.length : 0;
  while (next < items.length) {
    const row = plan.kind === "grid" ? gridRow(items, next, plan)
      : plan.kind === "rows" ? justifiedRow(items, next, plan) : listRow(items, next, plan);
    const before = rows.at(-1);
    row.top = before ? before.top + before.height + plan.gap : 0;
    rows.push(row);
    next += row.cells.length;
  }
}

/** Columns of a grid. Tiles are at most as wide as their size, so that a level fills them.
 * @param {Plan} plan */
function columns(plan) {
  return Math.max(1, Math.ceil((plan.width + plan.gap) / (plan.size + plan.gap) - 0.01));
}

/** @param {Shown[]} items @param {number} first @param {Plan} plan @returns {Row} */
function gridRow(items, first, plan) {
  const count = columns(plan);
  const width = Math.floor((plan.width - plan.gap * (count - 1)) / count);
  const cells = items.slice(first, first + count).map((item, column) => ({
    left: column * (width + plan.gap), width,
    // A panorama is small in a grid, and a tower is not taller than two tiles.
    frame: Math.round(Math.min(width / ratio(item, plan.shape), width * 2)),
  }));
  const frame = Math.max(...cells.map((cell) => cell.frame));
  return {
    first, top: 0, frame, height: frame + (width < leastCaption ? 0 : captionHeight), cells,
  };
}

/** @param {Shown[]} items @param {number} first @param {Plan} plan @returns {Row} */
function justifiedRow(items, first, plan) {
  let sum = 0;
  let count = 0;
  while (first + count < items.length) {
    sum += ratio(items[first + count], plan.shape);
    count += 1;
    if (sum * plan.size + (count - 1) * plan.gap >= plan.width) break;
  }
  const room = plan.width - (count - 1) * plan.gap;
  // The last row is not stretched.
  const frame = Math.floor(Math.min(room / sum, plan.size));
  let left = 0;
  const cells = items.slice(first, first + count).map((item) => {
    const width = Math.floor(frame * ratio(item, plan.shape));
    const cell = { left, width, frame };
    left += width + plan.gap;
    return cell;
  });
  return { first, top: 0, frame, height: frame + (frame < leastCaption ? 0 : captionHeight), cells };
}

/** @param {Shown[]} items @param {number} first @param {Plan} plan @returns {Row} */
function listRow(items, first, plan) {
  const frame = Math.round(Math.min(Math.max(plan.size * 0.6, 48), 200));
  return {
    first, top: 0, frame, height: frame + 16, cells: [{ left: 0, width: plan.width, frame }],
  };
}

/** The last row that begins at or before a height; 0 without rows.
 * @param {Row[]} rows @param {number} y */
function rowAt(rows, y) {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (rows[middle].top <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The row of an item.
 * @param {Row[]} rows @param {number} index */
function rowOf(rows, index) {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (rows[middle].first <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}
