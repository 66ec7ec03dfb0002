/** Where a list is, kept in its entry of the history for Back and reloads. */
class Places {
  /** @param {Grid} grid
   * @param {() => boolean} isCovered whether a picture is opened over the list */
  constructor(grid, isCovered) {
    this.grid = grid;
    this.isCovered = isCovered;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** The list whose place is looked for, page by page. Its entry of the history has it still.
     * @type {{feed: Feed} | null} */
    this.search = null;
    addEventListener("scroll", () => this.keepLater(), { passive: true });
    addEventListener("pagehide", () => this.keep());
  }

  keep() {
    const { grid } = this;
    if (this.isCovered() || grid.items.length === 0 || this.search?.feed === grid.feed) return;
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

  /** Goes to a place of a list, of which as many pages are loaded as it takes; a page that can't be
   * had is waited for. A visitor who scrolls meanwhile stays where they are.
   * @param {Feed} feed @param {Anchor} place */
  async restore(feed, place) {
    const { grid } = this;
    if (!grid.reaches(place)) {
      scrollTo(0, 0);
      const search = this.search = { feed };
      const isWanted = () => this.search === search && grid.feed === feed
        && (scrollY < 8 || this.isCovered());
      while (isWanted() && feed.next && !grid.reaches(place)) {
        if (feed.error && !feed.retryAt) break;
        await (feed.error ? changeOf(feed) : feed.load());
      }
      const hasStayed = isWanted();
      if (this.search === search) this.search = null;
      if (!hasStayed) return;
    }
    grid.scrollToAnchor(place);
    grid.render();
  }
}

/** Waits for what a feed gets next.
 * @param {Feed} feed */
function changeOf(feed) {
  return new Promise((resolve) => feed.addEventListener("change", resolve, { once: true }));
}
