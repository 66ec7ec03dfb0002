// Where each picture is. Pure: the same items and the same width give the same rows.

/** @typedef {{left: number, width: number}} Cell */
/** @typedef {{first: number, top: number, height: number, frame: number, cells: Cell[]}} Row
 * `frame` is the height of its pictures */
/** @typedef {{kind: "grid" | "rows" | "list", width: number, size: number, gap: number,
 *    shape: number}} Plan `size` is the width of a tile, or the height of a justified row; `shape`
 *    is that of the frames of a grid, and of pictures whose shape isn't known yet */

/** Height of three lines below a picture: two for the title. */
const captionHeight = 62;
/** Narrower tiles have no caption. */
const leastCaption = 100;

/** Width divided by height; extremes are limited.
 * @param {Shown} item @param {number} shape */
function ratio(item, shape) {
  return Math.min(Math.max(item.aspectRatio ?? shape, 0.25), 4);
}

/**
 * Lays out the items that have no row yet. A last row that may not be full is laid out again.
 * @param {Shown[]} items @param {Plan} plan @param {Row[]} rows
 */
function layOut(items, plan, rows) {
  const end = rows.at(-1);
  if (end && (plan.kind === "rows" || end.cells.length < columns(plan))) rows.pop();
  const last = rows.at(-1);
  let next = last ? last.first + last.cells.length : 0;
  while (next < items.length) {
    const row = plan.kind === "grid" ? gridRow(items, next, plan)
      : plan.kind === "rows" ? justifiedRow(items, next, plan) : listRow(next, plan);
    const before = rows.at(-1);
    row.top = before ? before.top + before.height + plan.gap : 0;
    rows.push(row);
    next += row.cells.length;
  }
}

/** Columns of a grid, or 1. Tiles are at most as wide as their size, so that a level fills them.
 * @param {Plan} plan */
function columns(plan) {
  if (plan.kind !== "grid") return 1;
  return Math.max(1, Math.ceil((plan.width + plan.gap) / (plan.size + plan.gap) - 0.01));
}

/** All frames of a grid have one shape, so that their tops and their bottoms stand on lines.
 * @param {Shown[]} items @param {number} first @param {Plan} plan @returns {Row} */
function gridRow(items, first, plan) {
  const count = columns(plan);
  const step = (plan.width + plan.gap) / count;
  const cells = items.slice(first, first + count).map((_, column) => {
    const left = Math.round(column * step);
    return { left, width: Math.round((column + 1) * step) - plan.gap - left };
  });
  const width = step - plan.gap;
  return row(first, cells, Math.round(width / plan.shape), width);
}

/** @param {Shown[]} items @param {number} first @param {Plan} plan @returns {Row} */
function justifiedRow(items, first, plan) {
  let sum = 0;
  let count = 0;
  let isFull = false;
  while (first + count < items.length && !isFull) {
    sum += ratio(items[first + count], plan.shape);
    count += 1;
    isFull = sum * plan.size + (count - 1) * plan.gap >= plan.width;
  }
  const room = plan.width - (count - 1) * plan.gap;
  // The last row is not stretched.
  const height = Math.min(room / sum, plan.size);
  let end = 0;
  // Edges are rounded, so that no picture gets what rounding leaves of the others.
  const cells = items.slice(first, first + count).map((item) => {
    const left = Math.round(end);
    end += height * ratio(item, plan.shape);
    const cell = { left, width: Math.round(end) - left };
    end += plan.gap;
    return cell;
  });
  const frame = Math.round(height);
  return row(first, cells, frame, frame);
}

/** @param {number} first @param {Plan} plan @returns {Row} */
function listRow(first, plan) {
  const frame = Math.round(Math.min(Math.max(plan.size * 0.25, 40), 120));
  return { first, top: 0, frame, height: frame + 12, cells: [{ left: 0, width: plan.width }] };
}

/** @param {number} first @param {Cell[]} cells @param {number} frame
 * @param {number} room that decides about captions @returns {Row} */
function row(first, cells, frame, room) {
  return { first, top: 0, frame, height: frame + (room < leastCaption ? 0 : captionHeight), cells };
}

/** The last row that begins at or before a height; 0 without rows.
 * @param {Row[]} rows @param {number} y */
function rowAt(rows, y) { return lastRow(rows, (row) => row.top <= y); }

/** The row of an item.
 * @param {Row[]} rows @param {number} index */
function rowOf(rows, index) { return lastRow(rows, (row) => row.first <= index); }

/** The last row that holds, by halves; 0 if none does.
 * @param {Row[]} rows @param {(row: Row) => boolean} holds */
function lastRow(rows, holds) {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(rows[middle])) low = middle;
    else high = middle - 1;
  }
  return low;
}
