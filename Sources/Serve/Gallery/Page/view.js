// What is looked at is in the address of the page, so that it can be kept, sent and gone back to.
const viewFields = /** @type {const} */ (
  ["term", "list", "albumsOf", "title", "genre", "from", "to", "lang", "dir", "item"]);

/** @typedef {{section: Section} & Record<typeof viewFields[number], string>} View */

/** What the address said last, which is asked for by each tile.
 * @type {[string, View] | null} */
let lastRead = null;

/** @returns {View} */
function readView() {
  if (lastRead?.[0] !== location.search) lastRead = [location.search, parseView()];
  return { ...lastRead[1] };
}

/** @returns {View} */
function parseView() {
  const said = new URLSearchParams(location.search);
  // An address of a picture may name no section: that of its source is meant.
  const source = said.get("item")?.split("/")[0];
  const section = sections.find(({ id }) => id === said.get("in"))
    ?? sections.find((other) => source && other.source === source) ?? sections[0];
  const view = /** @type {View} */ ({ section });
  for (const field of viewFields) view[field] = said.get(field) ?? "";
  return view;
}

/** What the addresses of pictures begin with.
 * @type {[string, string] | null} */
let lastList = null;

/** The address of a picture of the list that is shown.
 * @param {string} item */
function itemAddress(item) {
  if (lastList?.[0] !== location.search) {
    const list = viewAddress({ ...readView(), item: "" });
    lastList = [location.search, list === "/" ? "/?item=" : `${list}&item=`];
  }
  return lastList[1] + encodeURIComponent(item).replaceAll("%2F", "/");
}

/** @param {Partial<View> & {section: Section}} view */
function viewAddress(view) {
  const parameters = new URLSearchParams();
  if (view.section !== sections[0]) parameters.set("in", view.section.id);
  for (const field of viewFields) {
    const value = view[field];
    if (value) parameters.set(field, value);
  }
  const query = parameters.toString().replaceAll("%2F", "/");
  return query ? `/?${query}` : "/";
}

/** An empty view of a section.
 * @param {Section} section @returns {View} */
function emptyView(section) {
  const view = /** @type {View} */ ({ section });
  for (const field of viewFields) view[field] = "";
  return view;
}

/** What filters a list. */
const filterNames = /** @type {const} */ (["title", "genre", "from", "to", "lang"]);

/** @param {View} view @returns {View} */
function unfiltered(view) {
  const whole = { ...view };
  for (const name of filterNames) whole[name] = "";
  return whole;
}

/** Widths of tiles in CSS pixels. */
const sizes = { least: 64, most: 480, usual: 160 };

/** Keeps a choice of the visitor. A browser may keep nothing for pages.
 * @param {string} name @param {string} value */
function keep(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {}
}

/** @param {string} name */
function kept(name) {
  try {
    return localStorage.getItem(name) ?? "";
  } catch {
    return "";
  }
}
