// Every sentence of the page, in English and Dutch. `{name}` stands for a value.
/** @type {Record<string, [string, string]>} */
const sentences = {
  // Sections and sources.
  shows: ["TV shows", "Series"],
  films: ["Films", "Films"],
  artworks: ["Artworks", "Kunstwerken"],
  albums: ["Albums", "Albums"],
  artists: ["Artists", "Artiesten"],
  favorites: ["Favorites", "Favorieten"],
  all: ["All", "Alle"],
  popular: ["Popular", "Populair"],
  topRated: ["Top rated", "Best beoordeeld"],
  sections: ["Sections", "Onderdelen"],
  unconfigured: ["no credentials", "geen sleutel"],
  // Searching and filtering.
  search: ["Search", "Zoeken"],
  searchIn: ["Search {name}", "Zoek in {name}"],
  fewLetters: ["Type three letters or more.", "Typ drie letters of meer."],
  list: ["List", "Lijst"],
  filter: ["Filter", "Filter"],
  title: ["Title", "Titel"],
  genre: ["Genre", "Genre"],
  from: ["From", "Van"],
  to: ["To", "Tot"],
  language: ["Language", "Taal"],
  browserLanguage: ["as the browser says", "als de browser"],
  clear: ["Clear", "Wissen"],
  remove: ["Remove {what}", "Verwijder {what}"],
  on: ["Filters in use", "Filters in gebruik"],
  anyGenre: ["any", "alle"],
  datesCrossed: ["“From” is after “To”.", "“Van” ligt na “Tot”."],
  // The list.
  size: ["Size", "Grootte"],
  layout: ["Layout", "Indeling"],
  asGrid: ["Grid", "Raster"],
  asList: ["List", "Lijst"],
  pictures: ["Pictures", "Beelden"],
  directories: ["Directories", "Mappen"],
  loading: ["Loading…", "Laden…"],
  shown: ["{shown} shown", "{shown} getoond"],
  shownOf: ["{shown} of {total}", "{shown} van {total}"],
  nothing: ["Nothing was found.", "Niets gevonden."],
  nothingYet: ["Nothing in the first {pages} pages.", "Niets in de eerste {pages} pagina’s."],
  lookFurther: ["Look further", "Verder zoeken"],
  noFavorites: [
    "No favorites yet. A star, or “f” on a picture, makes one.",
    "Nog geen favorieten. Een ster, of “f” op een beeld, maakt er een.",
  ],
  recent: ["Recently here", "Onlangs hier"],
  searchFor: ["Search for", "Zoek naar"],
  searched: ["Searched before", "Eerder gezocht"],
  again: ["Try again", "Opnieuw proberen"],
  unreachable: ["The service can’t be reached.", "De dienst is niet bereikbaar."],
  offline: ["This device is offline.", "Dit apparaat is offline."],
  retryIn: ["Next attempt in {seconds} s.", "Volgende poging over {seconds} s."],
  refused: ["The service answered {status}.", "De dienst antwoordde {status}."],
  stale: [
    "The catalog is unreachable. This list is from {when}.",
    "De catalogus is onbereikbaar. Deze lijst is van {when}.",
  ],
  // Pictures without a picture.
  absent: ["No picture", "Geen beeld"],
  unavailable: ["Origin unreachable", "Bron onbereikbaar"],
  timedOut: ["Origin too slow", "Bron te traag"],
  rejected: ["Not a usable picture", "Geen bruikbaar beeld"],
  refusedPicture: ["Not allowed", "Niet toegestaan"],
  // Favorites.
  favorite: ["Favorite {title}", "Favoriet {title}"],
  kept: ["{title} is a favorite.", "{title} is een favoriet."],
  removed: ["{title} is no longer a favorite.", "{title} is geen favoriet meer."],
  notKept: [
    "The favorite was not changed: the service can’t be reached.",
    "De favoriet is niet gewijzigd: de dienst is niet bereikbaar.",
  ],
  moved: ["{title} is now at place {place} of {total}.", "{title} staat nu op plaats {place} van {total}."],
  orderHint: [
    "Drag, or hold Alt and press an arrow, to change the order.",
    "Sleep, of houd Alt ingedrukt met een pijl, om de volgorde te wijzigen.",
  ],
  touchOrderHint: [
    "Hold a picture, then drag it, to change the order.",
    "Houd een beeld vast en sleep het om de volgorde te wijzigen.",
  ],
  earlier: ["Move earlier", "Naar voren"],
  later: ["Move later", "Naar achteren"],
  // One picture.
  previous: ["Previous", "Vorige"],
  next: ["Next", "Volgende"],
  close: ["Close", "Sluiten"],
  share: ["Share", "Delen"],
  copied: ["The address is copied.", "Het adres is gekopieerd."],
  notCopied: ["Copy this address: {address}", "Kopieer dit adres: {address}"],
  download: ["Download", "Downloaden"],
  zoom: ["Zoom", "Inzoomen"],
  zoomIn: ["Zoom in", "Inzoomen"],
  zoomOut: ["Zoom out", "Uitzoomen"],
  zoomHint: [
    "Drag to move; wheel, pinch, + and − to zoom; 0 shows all.",
    "Sleep om te bewegen; wiel, knijpen, + en − om te zoomen; 0 toont alles.",
  ],
  touchZoomHint: ["Drag to move, pinch to zoom.", "Sleep om te bewegen, knijp om te zoomen."],
  zoomLevel: ["Largest level; this picture has no tiles.", "Grootste niveau; dit beeld heeft geen tegels."],
  original: ["Original picture", "Origineel beeld"],
  atSource: ["At its source ({source})", "Bij de bron ({source})"],
  albumsOf: ["Albums of this artist", "Albums van deze artiest"],
  rights: ["Rights", "Rechten"],
  followers: ["{count} followers", "{count} volgers"],
  tracks: ["{count} tracks", "{count} nummers"],
  minutes: ["{count} minutes", "{count} minuten"],
  songs: ["Songs", "Nummers"],
  place: ["{place} of {total}", "{place} van {total}"],
  // The trace.
  trace: ["Where it comes from", "Waar het vandaan komt"],
  noCandidates: ["No candidates", "Geen kandidaten"],
  untried: ["not needed", "niet nodig"],
  chosen: ["chosen", "gekozen"],
  failed: ["failed", "mislukt"],
  remembered: ["remembered", "onthouden"],
  followed: ["asked", "gevraagd"],
  stored: ["stored", "bewaard"],
  steps: ["Last look-up, {when}", "Laatste zoektocht, {when}"],
  levels: ["Levels", "Niveaus"],
  empty: ["not made yet", "nog niet gemaakt"],
  timing: ["This picture took {all} ms: {parts}.", "Dit beeld kostte {all} ms: {parts}."],
  timingHit: ["This picture took {all} ms, from the cache.", "Dit beeld kostte {all} ms, uit de cache."],
  askedIn: ["{milliseconds}\u00a0ms, {when}", "{milliseconds}\u00a0ms, {when}"],
  askedAt: ["asked {when}", "gevraagd {when}"],
  storedSince: ["stored since {when}", "bewaard sinds {when}"],
  showAs: ["Show {level} as {format}", "Toon {level} als {format}"],
  // Status.
  status: ["Status of the service", "Status van de dienst"],
  hits: ["{ratio} hits", "{ratio} treffers"],
  hitRatio: ["From the cache", "Uit de cache"],
  rate: ["Requests per second", "Verzoeken per seconde"],
  disk: ["Cache on disk", "Cache op schijf"],
  memory: ["Cache in memory", "Cache in geheugen"],
  warming: ["Warming", "Opwarmen"],
  ofBytes: ["{used} of {limit}", "{used} van {limit}"],
  settings: ["Settings", "Instellingen"],
  theme: ["Colors", "Kleuren"],
  auto: ["as the device", "als het apparaat"],
  light: ["light", "licht"],
  dark: ["dark", "donker"],
  keys: ["keys", "toetsen"],
  keyHint: [
    "/ search · + − size · arrows move · f favorite · Esc close",
    "/ zoeken · + − grootte · pijlen bewegen · f favoriet · Esc sluiten",
  ],
};

/** The language of the page: 0 English, 1 Dutch. */
let tongue = 0;

/** @param {string} tag a language tag; Dutch for `nl`, English for all others */
function speak(tag) {
  tongue = /^nl\b/i.test(tag) ? 1 : 0;
  document.documentElement.lang = tongue ? "nl" : "en";
  for (const element of document.querySelectorAll("[data-t], [data-t-label]")) {
    const { t: text, tLabel: label } = /** @type {HTMLElement} */ (element).dataset;
    if (text) element.textContent = t(text);
    if (label) element.setAttribute("aria-label", t(label));
  }
}

/** The language of the page as the browser has it, such as `en-GB`, for numbers and dates. */
function locale() {
  const { lang } = document.documentElement;
  return navigator.languages.find((tag) => tag.startsWith(lang)) ?? lang;
}

/** A date and time.
 * @param {string} date in ISO 8601 */
function timeText(date) {
  return new Date(date).toLocaleString(locale(), { dateStyle: "medium", timeStyle: "short" });
}

/**
 * A sentence in the language of the page.
 * @param {string} key
 * @param {object} [values]
 */
function t(key, values = {}) {
  const sentence = sentences[key]?.[tongue] ?? key;
  return sentence.replace(/\{(\w+)\}/g, (_, name) => {
    /** @type {unknown} */
    const value = Reflect.get(values, name);
    return String(value ?? "");
  });
}
