/** Feeds that were shown last, so that Back shows them at once.
 * @type {Map<string, Feed>} */
const feeds = new Map();
const mostFeeds = 6;

speak(kept("language") || navigator.language);
document.documentElement.dataset.theme = kept("theme");
history.scrollRestoration = "manual";

/** @type {Grid} */
const grid = new Grid($("grid"), (index) => openItem(grid.items[index]));
/** @type {Order} */
const order = new Order(grid);
const detail = new Detail(grid, {
  move: (item) => history.replaceState(
    history.state, "", viewAddress({ ...readView(), item: item.item })),
  close: () => closeItem(),
});
const places = new Places(grid, () => detail.isOpen);
const filters = new Filters((view, how) => go({ ...view, item: "" }, how), () => showEnding());
const bar = new Bar();
const ending = new Ending({
  go: (view) => go(view), problem: () => filters.problem,
  isOff: (section) => Boolean(bar.missing(section)),
});
const corner = new Status((status) => showStatus(status));
listenForZoom(grid);
listenForHold(grid, () => order.isOn);

/** The address of what is shown, without the open picture. */
let shownAddress = "";
/** Sources that are warmed now.
 * @type {Set<string>} */
let warming = new Set();

/** @param {StatusDocument} status */
function showStatus({ sources, warming: runs }) {
  bar.sources = sources;
  bar.show();
  bar.fill(new Map(runs.map((run) => [runSource(run), run.total ? run.done / run.total : 0])));
  showStrip(runs);
  warming = new Set(runs.map(runSource));
  const view = readView();
  // What was made last is the list of a section that shows nothing else yet.
  if (firstPage(view) === null && warming.has(view.section.source ?? "")) grid.feed.renew();
}

/** Goes to a view. Typing makes one entry of the history, however many letters it takes.
 * @param {View} view @param {"push" | "type"} [how] */
function go(view, how = "push") {
  places.keep();
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
  places.keep();
  // A reload finds the place of the list here.
  history.pushState({ isOpened: true, place: history.state?.place }, "",
    viewAddress({ ...readView(), item: item.item }));
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
  const listed = address === shownAddress ? null : showList(view, address);
  if (view.item) {
    await detail.open(view.item);
  } else {
    detail.close();
    dropRemoved();
    showTitle(view);
  }
  await listed;
}

/** @param {View} view */
function showTitle(view) {
  const name = sectionName(view.section);
  const what = view.albumsOf ? albumsTitle
    : view.term ? t("termIn", { term: view.term, name })
      : [nameOf(view.dir), name].filter(Boolean).join(" – ");
  const on = filterNames.map((name) => filterText(view, name)).filter(Boolean).join(", ");
  document.title = [on, what, "Vitrine"].filter(Boolean).join(" – ");
}

/** The heading of the albums of an artist. */
let albumsTitle = "";

let artistControl = new AbortController();

/** @param {View} view */
async function showArtist(view) {
  albumsTitle = t("albumsOf");
  artistControl.abort();
  if (!view.albumsOf) return;
  const { signal } = artistControl = new AbortController();
  try {
    const artist = await askItem(`spotify/artist/${view.albumsOf}`, signal);
    albumsTitle = t("albumsBy", { name: artist.title });
  } catch {
    // The albums are shown without their artist.
  }
  if (signal.aborted) return;
  showHeading(view);
  // The address decides: a detail that closes is still open for a moment.
  if (!readView().item) showTitle(view);
}

/** @param {View} view */
function showHeading(view) {
  const hint = isTouched.matches ? "touchOrderHint" : "orderHint";
  $("heading").replaceChildren(...parts([
    view.albumsOf && make("b", {}, albumsTitle), view.albumsOf && " ",
    firstPage(view) === null ? t("recent") : order.isOn ? t(hint) : null,
  ]));
}

/** @param {View} view @param {string} address */
async function showList(view, address) {
  shownAddress = address;
  const { section } = view;
  showTitle(view);
  bar.show();
  bar.fold(false);
  filters.show(view);
  $("credit").replaceChildren(...section.credit.map((part) =>
    typeof part === "string" ? part : outward(part[0], part[1]) ?? part[0]));
  const first = firstPage(view);
  const url = first ?? (section.source ? `/v1/recent?source=${section.source}` : null);
  grid.feed.stop();
  grid.feed.removeEventListener("change", showFeed);
  const feed = feedOf(url, view);
  feed.addEventListener("change", showFeed);
  const isList = kept(`layout:${section.id}`) === "list";
  showLayout(isList);
  const kind = isList ? "list" : section.layout ?? "grid";
  grid.show(feed, kind, section.shape, Boolean(view.albumsOf));
  showArtist(view);
  showHeading(view);
  showWelcome(view);
  showFeed();
  const place = history.state?.place;
  if (!place) scrollTo(0, 0);
  // What stands above the list comes first, so that it moves nothing.
  if (first === null && feed.items.length === 0) await loadSearches();
  if (grid.feed !== feed) return;
  if (place) await places.restore(feed, place);
  else if (feed.items.length === 0) feed.load();
}

/** @param {string | null} url @param {View} view */
function feedOf(url, view) {
  const order = view.albumsOf ? kept(`order:${view.albumsOf}`).split(",").filter(Boolean) : [];
  const known = url && !view.section.url && order.length === 0 && feeds.get(url);
  const feed = known && !known.error ? known : new Feed(url, order);
  if (url) {
    feeds.delete(url);
    feeds.set(url, feed);
    for (const old of [...feeds.keys()].slice(0, -mostFeeds)) feeds.delete(old);
  }
  return feed;
}

/** @param {View} view */
function showWelcome(view) {
  const chips = firstPage(view) === null ? welcome(view, (term) => go({ ...view, term })) : [];
  $("welcome").hidden = chips.length === 0;
  $("welcome").replaceChildren(...chips);
}

/** Shows what the feed has got, and what it waits for. */
function showFeed() {
  const { feed } = grid;
  const view = readView();
  if (feed.order.length > 0) rearrange();
  else grid.append();
  filters.showGenres(view, feed);
  showDirectories(view, feed);
  if (grid.kind === "list") showColumns(feed.items, grid.isOwn);
  showCount(feed);
  $("heading").hidden = feed.items.length === 0 && !view.albumsOf;
  $("loading").hidden = !feed.isLoading || feed.items.length > 0;
  showEnding();
  showBanner(feed, view, reload);
  detail.locate();
  if (view.term && feed.items.length > 0) loadSearches();
  else if (view.term === "" && !feed.isLoading) loadSearches();
}

/** @param {Feed} feed */
function showCount({ items, total, next, isLoading }) {
  const shown = numberText(items.length);
  $("count").textContent = items.length === 0 ? ""
    : total !== null && total > items.length ? t("shownOf", { shown, total: numberText(total) })
      : next ? t("shownSoFar", { shown }) : t("shown", { shown });
  $("footer").setAttribute("aria-busy", String(isLoading));
}

function showEnding() {
  const view = readView();
  ending.show(grid.feed, view, warming.has(view.section.source ?? ""));
}

/** Lays all out anew after items went, or came between others. */
function rearrange() {
  const hadFocus = grid.host.contains(document.activeElement);
  for (const number of [...grid.built.keys()]) grid.drop(number);
  grid.arrange(grid.middle());
  if (hadFocus) grid.focus(Math.min(grid.focused, grid.items.length - 1), false);
}

/** Takes those out of the shown favorites that are none any more; each can come back. */
function dropRemoved() {
  const { feed } = grid;
  if (!readView().section.url) return;
  const index = feed.items.findIndex(({ favorite }) => favorite === false);
  if (index < 0) return;
  const [item] = feed.items.splice(index, 1);
  feed.names.delete(item.item);
  if (feed.total !== null) feed.total -= 1;
  rearrange();
  showFeed();
  toast(t("removed", item), () => takeBack(feed, item, index));
  dropRemoved();
}

/** @param {Feed} feed @param {Shown} item @param {number} index */
async function takeBack(feed, item, index) {
  if (!await toggleFavorite(item)) return;
  feed.items.splice(index, 0, item);
  feed.names.add(item.item);
  if (feed.total !== null) feed.total += 1;
  if (grid.feed !== feed) return;
  order.save();
  rearrange();
  showFeed();
}

/** The directory that is shown, with the way to it, and those in it.
 * @param {View} view
 * @param {Feed} feed */
function showDirectories(view, feed) {
  const chip = (/** @type {string} */ dir, /** @type {(Node | string)[]} */ ...parts) =>
    make("button", { type: "button", onclick: () => go({ ...readView(), dir }) }, ...parts);
  const names = view.dir ? view.dir.split("/") : [];
  const way = names.map((_, index) => names.slice(0, index).join("/"));
  const here = make("b", { "aria-current": "location" }, nameOf(view.dir));
  $("directories").replaceChildren(...parts([
    names.length > 0 && make("span", { className: "way" },
      ...way.flatMap((dir) => [chip(dir, nameOf(dir) || sectionName(view.section)), "/"]), here),
    ...feed.directories.map(({ dir }) => chip(dir, icon("folder"), nameOf(dir)))]));
  $("directories").hidden = $("directories").children.length === 0;
}

/** The last name of a directory's path.
 * @param {string} dir */
function nameOf(dir) { return dir.split("/").at(-1) ?? ""; }

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
    await searches.load();
    const view = readView();
    const terms = searches.of(...view.section.search ?? []).slice(0, 20);
    $("searched").replaceChildren(...terms.map((value) => make("option", { value })));
    if (firstPage(view) === null) showWelcome(view);
  } catch (error) {
    // Without them the page only suggests nothing.
    if (error instanceof Refusal && (error.status === 401 || error.status === 403)) {
      bar.hasFavorites = false;
      $("history").hidden = true;
      bar.show();
      return;
    }
  }
  // Once for each list.
  setTimeout(() => { isAsking = false; }, 2000);
}

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
    showColumns(grid.items, grid.isOwn);
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
  if (!detail.isOpen) dropRemoved();
});

document.addEventListener("click", (event) => {
  const link = around(event.target, "a");
  if (!(link instanceof HTMLAnchorElement) || link.target || link.closest("#grid")) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (link.origin !== location.origin || link.pathname !== "/") return;
  event.preventDefault();
  places.keep();
  $("history-panel").hidePopover();
  history.pushState({}, "", link.href);
  show();
});
$("history-panel").addEventListener("toggle", () =>
  $("history-panel").matches(":popover-open") && showHistory());
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || detail.isOpen) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(/** @type {Element} */ (event.target).tagName)) return;
  if ($("keys-panel").open) return;
  if (event.key === "/") seek();
  else if (event.key === "?") keySheet.open();
  else if (event.key === "+" || event.key === "=") resize(1.25);
  else if (event.key === "-") resize(1 / 1.25);
  else return;
  event.preventDefault();
});
/** @param {number} factor */
function resize(factor) { grid.setSize(grid.size * factor, grid.middle(), true); }
/** Goes to the search field, which a phone folds away. */
function seek() {
  if ($("searching").checkVisibility()) $("term").focus();
  else $("find").click();
}

/** The skip link leads to the tile that the Tab key stops at. */
$("skip").addEventListener("click", (event) => {
  event.preventDefault();
  grid.focus(grid.focused);
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
const showState = () => showBanner(grid.feed, readView(), reload);
addEventListener("online", () => grid.feed.error ? grid.feed.load() : showState());
addEventListener("offline", showState);
addEventListener("popstate", () => show());
show();
document.documentElement.classList.remove("is-new");
// After the pictures in sight.
setTimeout(() => corner.look(), 800);
