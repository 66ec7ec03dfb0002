/** Feeds that were shown last, so that Back shows them at once.
 * @type {Map<string, Feed>} */
const feeds = new Map();
const mostFeeds = 6;

speak(kept("language") || navigator.language);
document.documentElement.dataset.theme = kept("theme");
history.scrollRestoration = "manual";

/** @type {Grid} */
const grid = new Grid($("grid"), (index) => openItem(grid.items[index]));
const detail = new Detail(grid, {
  move: (item) => history.replaceState(
    history.state, "", viewAddress({ ...readView(), item: item.item })),
  close: () => closeItem(),
});
const order = new Order(grid);
const filters = new Filters((view, how) => go({ ...view, item: "" }, how));
const corner = new Status((sources) => showSections(sources));
listenForZoom(grid);

/** What is known of the sources.
 * @type {{name: string, missing: string | null}[]} */
let knownSources = [];
let hasFavorites = true;
let shownSections = "";
/** The address of what is shown, without the open picture. */
let shownAddress = "";

/** @param {{name: string, missing: string | null}[]} [sources] */
function showSections(sources = knownSources) {
  knownSources = sources;
  const { section } = readView();
  // Links that stay keep the focus, and the place where they are scrolled to.
  const shown = JSON.stringify([section.id, hasFavorites, sources]);
  if (shown === shownSections) return;
  shownSections = shown;
  const links = sections.filter(({ id }) => hasFavorites || id !== "favorites").map((other) => {
    const missing = sources.find(({ name }) => name === other.source)?.missing;
    const link = make("a", { href: viewAddress({ section: other }) },
      sentences[other.name] ? t(other.name) : other.name);
    if (missing) {
      link.classList.add("is-off");
      link.title = missing;
      link.append(make("small", {}, ` ${t("unconfigured")}`));
    }
    if (other === section) link.setAttribute("aria-current", "page");
    return link;
  });
  const bar = $("sections");
  bar.replaceChildren(...links);
  const current = links.find((link) => link.ariaCurrent);
  if (current) bar.scrollLeft = current.offsetLeft - (bar.clientWidth - current.offsetWidth) / 2;
}

/** Goes to a view. Typing makes one entry of the history, however many letters it takes.
 * @param {View} view @param {"push" | "type"} [how] */
function go(view, how = "push") {
  keepPlace();
  if (how === "type" && history.state?.isTyped) {
    history.replaceState({ isTyped: true }, "", viewAddress(view));
  } else if (how === "push" && viewAddress(view) === viewAddress(readView())) {
    history.replaceState({ ...history.state, isTyped: false }, "", viewAddress(view));
  } else {
    history.pushState({ isTyped: how === "type" }, "", viewAddress(view));
  }
  show();
}

/** @param {Shown} item */
function openItem(item) {
  keepPlace();
  history.pushState({ isOpened: true }, "", viewAddress({ ...readView(), item: item.item }));
  detail.open(item.item);
}

/** Goes back to the list; one that was never shown before is shown now. */
function closeItem() {
  if (history.state?.isOpened) {
    history.back();
    return;
  }
  history.replaceState(history.state, "", viewAddress({ ...readView(), item: "" }));
  show();
}

/** Shows what the address says. */
async function show() {
  const view = readView();
  const address = viewAddress({ ...view, item: "" });
  if (address !== shownAddress) await showList(view, address);
  if (view.item) await detail.open(view.item);
  else {
    detail.close();
    showTitle(view);
  }
}

/** @param {View} view */
function showTitle({ section }) {
  document.title = `${sentences[section.name] ? t(section.name) : section.name} – Vitrine`;
}

/** @param {View} view @param {string} address */
async function showList(view, address) {
  shownAddress = address;
  const { section } = view;
  showTitle(view);
  showSections();
  filters.show(view);
  $("credit").replaceChildren(...section.credit.map((part) =>
    typeof part === "string" ? part : outward(part[0], part[1]) ?? part[0]));
  const first = firstPage(view);
  const url = first ?? (section.source ? `/v1/recent?source=${section.source}` : null);
  grid.feed.stop();
  grid.feed.removeEventListener("change", showFeed);
  const feed = feedOf(url, section);
  feed.addEventListener("change", showFeed);
  const isList = kept(`layout:${section.id}`) === "list";
  showLayout(isList);
  grid.show(feed, isList ? "list" : section.layout ?? "grid", section.shape);
  showWelcome(view, first);
  showFeed();
  const place = history.state?.place;
  if (place) await restore(feed, place);
  else scrollTo(0, 0);
  if (feed.items.length === 0) feed.load();
}

/** @param {Feed} feed @param {Anchor} place */
async function restore(feed, place) {
  await feed.loadUpTo(place.index + 1);
  if (grid.feed !== feed) return;
  grid.scrollToAnchor(place);
  grid.render();
}

/** @param {string | null} url @param {Section} section */
function feedOf(url, section) {
  const known = url && !section.url && feeds.get(url);
  const feed = known && !known.error ? known : new Feed(url);
  if (url) {
    feeds.delete(url);
    feeds.set(url, feed);
    for (const old of [...feeds.keys()].slice(0, -mostFeeds)) feeds.delete(old);
  }
  return feed;
}

/** @param {View} view @param {string | null} first */
function showWelcome(view, first) {
  const isWelcome = first === null;
  const chips = isWelcome ? welcome(view, (term) => go({ ...view, term })) : [];
  $("welcome").hidden = chips.length === 0;
  $("welcome").replaceChildren(...chips);
  $("heading").textContent = isWelcome ? t("recent")
    : view.section.url ? t(isTouched.matches ? "touchOrderHint" : "orderHint") : "";
}

/** Shows what the feed has got, and what it waits for. */
function showFeed() {
  const { feed } = grid;
  const view = readView();
  grid.append();
  filters.showGenres(view, feed);
  showDirectories(view, feed);
  const shown = feed.items.length;
  const total = feed.total;
  $("count").textContent = shown === 0 ? ""
    : total !== null && total > shown ? t("shownOf", { shown, total }) : t("shown", { shown });
  $("heading").hidden = shown === 0;
  $("loading").hidden = !feed.isLoading || shown > 0;
  $("more").hidden = !$("loading").hidden;
  $("more").replaceChildren(...parts(ending(feed, view)));
  showBanner(feed);
  if (view.term && shown > 0) loadSearches();
  else if (view.term === "" && !feed.isLoading) loadSearches();
}

/** The way up from the directory that is shown, and those in it.
 * @param {View} view
 * @param {Feed} feed */
function showDirectories(view, feed) {
  const last = (/** @type {string} */ dir) => dir.split("/").at(-1) ?? "";
  const chip = (/** @type {string} */ dir, /** @type {string} */ text) => make("button", {
    type: "button", textContent: text, onclick: () => go({ ...readView(), dir }),
  });
  const names = view.dir ? view.dir.split("/") : [];
  const way = names.map((_, index) => names.slice(0, index).join("/"));
  $("directories").replaceChildren(
    ...way.map((dir) => chip(dir, dir ? `${last(dir)} /` : "/")),
    ...feed.directories.map(({ dir }) => chip(dir, last(dir))));
  $("directories").hidden = $("directories").children.length === 0;
}

/** What is below the last item.
 * @param {Feed} feed @param {View} view
 * @returns {(Node | false | null)[]} */
function ending(feed, view) {
  const isWelcome = firstPage(view) === null;
  const again = () => button(t("again"), t("again"), () => feed.load());
  if (feed.isLoading) return feed.items.length > 0 ? [make("p", {}, t("loading"))] : [];
  if (feed.error) {
    if (isWelcome) return [];
    const canRetry = !(feed.error instanceof Refusal) || feed.error.status >= 500;
    const seconds = Math.ceil((feed.retryAt - Date.now()) / 1000);
    return feed.items.length > 0 ? [] : [
      make("p", {}, reason(feed.error)),
      seconds > 0 && make("p", {}, t("retryIn", { seconds })),
      canRetry && again(),
    ];
  }
  if (feed.isUndecided) {
    return [
      make("p", {}, t("nothingYet", { pages: feed.emptyPages })),
      button(t("lookFurther"), t("lookFurther"), () => feed.load()),
    ];
  }
  if (feed.items.length > 0 || feed.next || isWelcome) return [];
  if (view.section.url) return [ghosts(), make("p", {}, t("noFavorites"))];
  return [make("p", {}, t("nothing"))];
}

/** What is wrong stays in sight, whatever is scrolled.
 * @param {Feed} feed */
function showBanner(feed) {
  const banner = $("banner");
  const sentence = feed.error && feed.items.length > 0 ? reason(feed.error)
    : !navigator.onLine ? t("offline")
      : feed.staleSince && feed.items.length > 0
        ? t("stale", { when: timeText(feed.staleSince) }) : "";
  banner.hidden = sentence === "";
  if (!sentence) return;
  const act = feed.error ? () => feed.load() : reload;
  banner.replaceChildren(make("span", {}, sentence), button(t("again"), t("again"), act));
}

/** Asks for the shown list anew. */
function reload() {
  feeds.clear();
  shownAddress = "";
  show();
}

let isAsking = false;
/** Searches that were made before, and whether there are favorites at all. */
async function loadSearches() {
  if (isAsking) return;
  isAsking = true;
  try {
    searches.all = /** @type {HistoryDocument} */ (await ask("/v1/history")).searches;
    const view = readView();
    const terms = searches.of(...view.section.search ?? []).slice(0, 20);
    $("searched").replaceChildren(...terms.map((value) => make("option", { value })));
    if (firstPage(view) === null) showWelcome(view, null);
  } catch (error) {
    // Without them the page only suggests nothing.
    if (error instanceof Refusal && (error.status === 401 || error.status === 403)) {
      hasFavorites = false;
      showSections();
      return;
    }
  }
  // Once for each list.
  setTimeout(() => { isAsking = false; }, 2000);
}

/** Keeps where the list is, for Back and reloads. */
function keepPlace() {
  if (detail.isOpen || grid.items.length === 0) return;
  const place = scrollY < 8 ? null : grid.anchor(innerWidth / 2, $("header").offsetHeight + 40);
  history.replaceState({ ...history.state, place }, "");
}
/** @type {ReturnType<typeof setTimeout> | undefined} */
let scrolling;
/** Keeps the place when the page has come to rest. */
function keepPlaceLater() {
  scrolling ??= setTimeout(() => {
    scrolling = undefined;
    if (grid.isMoving) keepPlaceLater();
    else keepPlace();
  }, 160);
}
addEventListener("scroll", keepPlaceLater, { passive: true });
addEventListener("pagehide", keepPlace);

/** @param {boolean} isList */
function showLayout(isList) {
  $("as-grid").setAttribute("aria-pressed", String(!isList));
  $("as-list").setAttribute("aria-pressed", String(isList));
}
for (const kind of /** @type {const} */ (["grid", "list"])) {
  $(`as-${kind}`).addEventListener("click", () => {
    const { section } = readView();
    keep(`layout:${section.id}`, kind);
    showLayout(kind === "list");
    const anchor = grid.middle();
    grid.kind = kind === "list" ? "list" : section.layout ?? "grid";
    // Tiles of a list have other parts.
    for (const number of [...grid.built.keys()]) grid.drop(number);
    grid.arrange(anchor);
  });
}

// A favorite shows the same in every list that is kept.
document.addEventListener("favorite", (event) => {
  const { item, favorite } = /** @type {CustomEvent<Shown>} */ (event).detail;
  for (const feed of feeds.values()) {
    for (const other of feed.items) if (other.item === item) other.favorite = favorite;
  }
});

document.addEventListener("click", (event) => {
  const link = around(event.target, "a");
  if (!(link instanceof HTMLAnchorElement) || link.target || link.closest("#grid") || event.ctrlKey || event.metaKey) return;
  if (event.shiftKey || link.origin !== location.origin || link.pathname !== "/") return;
  event.preventDefault();
  keepPlace();
  history.pushState({}, "", link.href);
  show();
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || detail.isOpen) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(/** @type {Element} */ (event.target).tagName)) return;
  if (event.key === "/") $("term").focus();
  else if (event.key === "+" || event.key === "=") grid.setSize(grid.size * 1.25, grid.middle(), true);
  else if (event.key === "-") grid.setSize(grid.size / 1.25, grid.middle(), true);
  else return;
  event.preventDefault();
});
for (const name of /** @type {const} */ (["theme", "language"])) {
  const field = $(name);
  field.value = kept(name);
  field.addEventListener("change", () => {
    keep(name, field.value);
    if (name === "theme") document.documentElement.dataset.theme = field.value;
    else location.reload();
  });
}
addEventListener("online", () => grid.feed.error ? grid.feed.load() : showBanner(grid.feed));
addEventListener("offline", () => showBanner(grid.feed));
addEventListener("popstate", () => show());
show();
document.documentElement.classList.remove("is-new");
// After the pictures in sight.
setTimeout(() => corner.look(), 1500);
