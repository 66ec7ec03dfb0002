/** The grid by keyboard: one stop of the Tab key, and keys that move from tile to tile. */
class GridKeys {
  /** @param {Grid} grid */
  constructor(grid) {
    this.grid = grid;
    /** The link that the Tab key stops at.
     * @type {HTMLElement | null} */
    this.stop = null;
    grid.host.addEventListener("keydown", (event) => this.press(event));
    grid.host.addEventListener("focusin", (event) => {
      const index = grid.indexOf(event.target);
      if (index < 0) return;
      grid.focused = index;
      this.stopAt(grid.tile(index));
    });
  }

  /** Makes a tile the stop: that of the last focus, or the first in sight. */
  settle() {
    const { grid } = this;
    const tile = grid.tile(grid.focused);
    if (this.stop?.isConnected && (!tile || tile.contains(this.stop))) return;
    const row = grid.rows[rowAt(grid.rows, Math.max(0, grid.sight.top))];
    this.stopAt(tile ?? grid.tile(row?.first ?? -1));
  }

  /** Gives up a stop in a row that is gone.
   * @param {HTMLElement} row */
  leave(row) {
    if (!this.stop || !row.contains(this.stop)) return;
    this.stop.tabIndex = -1;
    this.stop = null;
  }

  /** @param {HTMLElement | null} tile */
  stopAt(tile) {
    /** @type {HTMLElement | null | undefined} */
    const link = tile?.querySelector("a.open");
    if (!link || link === this.stop) return;
    if (this.stop) this.stop.tabIndex = -1;
    link.tabIndex = 0;
    this.stop = link;
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const { grid } = this;
    const index = grid.indexOf(event.target);
    if (event.metaKey || event.altKey || index < 0) return;
    const { rows } = grid;
    const row = rowOf(rows, index);
    const { first, cells, height } = rows[row];
    const page = Math.max(1, Math.floor((innerHeight * 0.8) / height));
    /** @type {Record<string, () => number>} */
    const moves = event.ctrlKey ? { Home: () => 0, End: () => grid.items.length - 1 } : {
      ArrowLeft: () => index - 1, ArrowRight: () => index + 1,
      ArrowUp: () => grid.beside(row - 1, index), ArrowDown: () => grid.beside(row + 1, index),
      PageUp: () => grid.beside(Math.max(0, row - page), index),
      PageDown: () => grid.beside(Math.min(rows.length - 1, row + page), index),
      Home: () => first, End: () => first + cells.length - 1,
    };
    if (event.key in moves) grid.focus(moves[event.key]());
    else if (event.key === "f" && !event.ctrlKey) toggleFavorite(grid.items[index]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
