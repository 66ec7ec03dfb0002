/** The pages of one list, one after the other, as they are wanted. Tells `change` after each. */
class Feed extends EventTarget {
  /** @param {string | null} url of the first page
   * @param {string[]} [order] ids of the items that come first, in order */
  constructor(url, order = []) {
    super();
    this.url = url;
    this.order = order;
    /** @type {string | null} */
    this.next = url;
    /** @type {Shown[]} */
    this.items = [];
    /** @type {number | null} */
    this.total = null;
    /** Pages that brought nothing since the last item. */
    this.emptyPages = 0;
    this.isLoading = false;
    /** The last load that began. @type {Promise<void>} */
    this.loaded = Promise.resolve();
    /** @type {unknown} */
    this.error = null;
    /** When the stored page was fetched that stands for an unreachable catalog.
     * @type {string | null} */
    this.staleSince = null;
    /** @type {Set<string>} */
    this.genres = new Set();
    /** Directories in the one that a folder's list shows.
     * @type {{dir: string}[]} */
    this.directories = [];
    /** @type {Set<string>} */
    this.names = new Set();
    this.attempts = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** When an error is tried again, in milliseconds since 1970; 0 if it is not. */
    this.retryAt = 0;
  }

  /** Whether a filter found nothing so far, and a further look is a visitor's decision. */
  get isUndecided() { return Boolean(this.next) && this.emptyPages > 0; }

  /** Whether the next page may be loaded without asking. */
  get canGoOn() {
    return Boolean(this.next) && !this.isLoading && !this.error && !this.isUndecided;
  }

  /** Loads the next page, if there is one, or waits for the one that is under way. */
  load() {
    if (!this.next || this.isLoading) return this.loaded;
    this.isLoading = true;
    this.error = null;
    clearTimeout(this.timer);
    this.loaded = this.read(this.next);
    this.tell();
    return this.loaded;
  }

  /** @param {string} url of the next page */
  async read(url) {
    try {
      const page = /** @type {PageDocument} */ (await ask(url));
      // Of this service, by whichever address the page is open.
      this.next = page.next?.slice(page.next.indexOf("/v1/")) ?? null;
      // The total counts the whole list, whatever a filter let through.
      this.total = page.searchedPages === undefined ? page.total : null;
      this.directories = [...this.directories, ...(page.directories ?? [])];
      this.attempts = 0;
      if (page.stale && page.items.length > 0) this.staleSince = page.fetchedAt;
      else if (!page.stale) this.staleSince = null;
      this.add(page.items);
      this.emptyPages = page.items.length > 0 ? 0 : this.emptyPages + (page.searchedPages ?? 1);
    } catch (error) {
      this.error = error;
      this.retryLater();
    }
    this.isLoading = false;
    this.tell();
  }

  /** Pages of a changing list overlap, so an item that is there already is dropped.
   * @param {ItemDocument[]} items */
  add(items) {
    for (const item of items) {
      if (this.names.has(item.item)) continue;
      this.names.add(item.item);
      for (const genre of item.genres) this.genres.add(genre);
      this.items.push(slim(item));
    }
    const place = (/** @type {Shown} */ { id }) =>
      (this.order.indexOf(id) + 1) || this.order.length + 1;
    if (this.order.length > 0) this.items.sort((one, other) => place(one) - place(other));
  }

  /** Only what may pass by itself is tried again: an unreachable service or catalog. */
  retryLater() {
    this.retryAt = 0;
    if (this.error instanceof Refusal && !this.error.canPass) return;
    const milliseconds = pauseAfter(++this.attempts);
    this.retryAt = Date.now() + milliseconds;
    this.timer = setTimeout(() => this.load(), milliseconds);
  }

  /** Adds what has come since to the end of a list that has one page.
   * @returns {Promise<void>} */
  async renew() {
    if (!this.url || this.next || this.isLoading) return;
    const count = this.items.length;
    try {
      this.add(/** @type {PageDocument} */ (await ask(this.url)).items);
    } catch {
      // What is shown stays.
    }
    if (this.items.length > count) this.tell();
  }

  stop() { clearTimeout(this.timer); }

  tell() { this.dispatchEvent(new Event("change")); }
}

/** What tiles need of an item; the rest is asked for when it is opened.
 * @param {ItemDocument} item
 * @returns {Shown} */
function slim(item) {
  const { item: name, id, title, language, subtitle, date, genres, aspectRatio, thumbhash, color,
    favorite, original, failure, detail } = item;
  /** @type {Shown["thumbnails"]} */
  const thumbnails = {};
  for (const [level, { width, height, box }] of Object.entries(item.thumbnails)) {
    if (!box) thumbnails[level] = { width, height };
  }
  return { item: name, id, title, language, subtitle, date, genres, aspectRatio, thumbhash, color,
    favorite, thumbnails, original, failure, detail: detail?.item };
}
