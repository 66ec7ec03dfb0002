/** What the service fills in: the sections of its sources, its levels, and the sources whose
 * pictures may not be cropped, or whose originals are not offered.
 * @type {{sources: Section[], levels: (Size & {name: string})[], uncropped: string[],
 *    withoutOriginals: string[]}} */
const given = JSON.parse(document.getElementById("given")?.textContent ?? "");

/**
 * @typedef {object} Section
 * @property {string} id @property {string} name a key of the sentences, or a name
 * @property {string} [title] the catalog, as it calls itself @property {string} [source]
 * @property {number} shape of most of its pictures
 * @property {"grid" | "rows"} [layout]
 * @property {[string, string][]} [browse] lists and their names
 * @property {[string, string]} [search] a list and the parameter that takes words
 * @property {string[]} [withoutFilters] what its entries have nothing for
 * @property {boolean} [languages] @property {string} [url] @property {string[]} [suggestions]
 * @property {(string | [string, string])[]} credit texts, and links as a text and a URL
 */

/** @type {Section[]} */
const sections = [
  ...given.sources,
  { id: "favorites", name: "favorites", shape: 2 / 3, url: "/v1/favorites", credit: [] },
];

/** The fewest letters a search takes. */
const fewest = 3;

/** The address of the first page of a view; null where there is nothing to ask yet.
 * @param {View} view */
function firstPage(view) {
  const section = view.section;
  const parameters = new URLSearchParams();
  let list;
  if (section.url) {
    list = "favorites";
  } else if (view.albumsOf) {
    list = `spotify/artists/${encodeURIComponent(view.albumsOf)}/albums`;
  } else if (view.term && section.search) {
    list = section.search[0];
    parameters.set(section.search[1], view.term);
  } else if (section.browse) {
    list = (section.browse.find(([path]) => path === view.list) ?? section.browse[0])[0];
  } else {
    return null;
  }
  if (view.dir && list.endsWith("/files")) parameters.set("dir", view.dir);
  for (const name of filterNames) {
    if (view[name] && !parameters.has(name)) parameters.set(name, view[name]);
  }
  const query = parameters.toString();
  return `/v1/${list}${query ? `?${query}` : ""}`;
}

/** The name of a section in the language of the page.
 * @param {Section} section */
function sectionName({ name }) { return sentences[name] ? t(name) : name; }

/** The catalog of a view, as it calls itself.
 * @param {View} view */
function viewName({ section }) { return sourceName(section.source ?? section.name); }

/** @param {string} name of a source, as in addresses */
function sourceName(name) {
  return sections.find(({ source }) => source === name)?.title ?? name;
}
