/** Where a list is, kept in its entry of the history for Back and reloads. */
class Places {
  /** @param {Grid} grid
   * @param {() => boolean} isCovered whether a picture is opened over the list */
  constructor(grid, isCovered) {
    this.grid = grid;
    this.isCovered = isCovered;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    addEventListener("scroll", () => this.keepLater(), { passive: true });
    addEventListener("pagehide", () => this.keep());
  }

  keep() {
    const { grid } = this;
    if (this.isCovered() || grid.items.length === 0) return;
    const place = scrollY < 8 ? null
      : grid.anchor(innerWidth / 2, $("header").offsetHeight + 40);
    history.replaceState({ ...history.state, place }, "");
  }

  /** Keeps the place when the page has come to rest. */
  keepLater() {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (this.grid.isMoving) this.keepLater();
      else this.keep();
    }, 160);
  }

  /** Goes to a place of a list, of which as many pages are loaded as it takes.
   * @param {Feed} feed @param {Anchor} place */
  async restore(feed, place) {
    await feed.loadUpTo(place.index + 1);
    if (this.grid.feed !== feed) return;
    this.grid.scrollToAnchor(place);
    this.grid.render();
  }
}
