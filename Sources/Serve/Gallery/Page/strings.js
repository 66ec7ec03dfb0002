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
  future: ["This date is in the future.", "Deze datum ligt in de toekomst."],
  noDate: ["This is not a date from the year 1000 on.", "Dit is geen datum vanaf het jaar 1000."],
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
  shownSoFar: ["{shown} so far", "{shown} tot nu toe"],
  shownOf: ["{shown} of {total}", "{shown} van {total}"],
  nothing: ["Nothing was found.", "Niets gevonden."],
  nothingFor: [
    "Nothing was found for “{term}” in {name}.",
    "Niets gevonden voor “{term}” in {name}.",
  ],
  nothingFiltered: [
    "Nothing was found in {name} with these filters.",
    "Niets gevonden in {name} met deze filters.",
  ],
  clearFilters: ["Clear the filters", "Filters wissen"],
  searchThere: ["Search {name} for “{term}”", "Zoek “{term}” in {name}"],
  termIn: ["“{term}” in {name}", "“{term}” in {name}"],
  lookAt: ["Look at {name}", "Bekijk {name}"],
  filling: [
    "Pictures appear here as they are made.",
    "Beelden verschijnen hier zodra ze gemaakt zijn.",
  ],
  nothingYet: ["No match in the first {pages} pages.", "Geen treffer in de eerste {pages} pagina’s."],
  lookFurther: ["Search further", "Verder zoeken"],
  noFavorites: [
    "No favorites yet. Click the star of a picture, or press “f” on it.",
    "Nog geen favorieten. Een ster, of “f” op een beeld, maakt er een.",
  ],
  noFavoritesTouch: [
    "No favorites yet. Press and hold a picture to make one.",
    "Nog geen favorieten. Houd een vinger op een beeld om er een te maken.",
  ],
  recent: ["Recently here", "Onlangs hier"],
  searchFor: ["Search for", "Zoek naar"],
  searched: ["Searched before", "Eerder gezocht"],
  history: ["Search history", "Zoekgeschiedenis"],
  noSearches: ["No searches yet.", "Nog niets gezocht."],
  clearHistory: ["Clear the history", "Geschiedenis wissen"],
  find: ["Search and filter", "Zoeken en filteren"],
  skip: ["Skip to the pictures", "Naar de beelden"],
  year: ["Year", "Jaar"],
  maker: ["By", "Van"],
  originalSize: ["Original", "Origineel"],
  directory: ["Directory", "Map"],
  again: ["Try again", "Opnieuw proberen"],
  unreachable: ["The service can’t be reached.", "De dienst is niet bereikbaar."],
  offline: ["This device is offline.", "Dit apparaat is offline."],
  retryIn: ["Next attempt in {seconds} s.", "Volgende poging over {seconds} s."],
  refused: ["The service answered {status}.", "De dienst antwoordde {status}."],
  stale: [
    "{name} can’t be reached. Stored pictures are shown.",
    "{name} is niet bereikbaar. Opgeslagen beelden worden getoond.",
  ],
  listFrom: ["This list is from {when}.", "Deze lijst is van {when}."],
  aCatalog: ["A catalog", "Een catalogus"],
  sourceFailed: ["{name} can’t be reached.", "{name} is niet bereikbaar."],
  sourceSlow: ["{name} takes too long to answer.", "{name} antwoordt te traag."],
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
  undo: ["Undo", "Ongedaan maken"],
  notKept: [
    "The favorite was not changed, because the service can’t be reached.",
    "De favoriet is niet gewijzigd: de dienst is niet bereikbaar.",
  ],
  moved: [
    "{title} is now at place {place} of {total}.",
    "{title} staat nu op plaats {place} van {total}.",
  ],
  orderHint: [
    "Drag, or hold Alt and press an arrow, to change the order.",
    "Sleep, of houd Alt ingedrukt met een pijl, om de volgorde te wijzigen.",
  ],
  touchOrderHint: [
    "Press and hold a picture, then drag it, to change the order.",
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
  zoomLevel: [
    "Largest level; this picture has no tiles.",
    "Grootste niveau; dit beeld heeft geen tegels.",
  ],
  asLargeAsItIs: ["{size}, shown as large as it is", "{size}, zo groot getoond als het is"],
  showFacts: ["Show details", "Toon de gegevens"],
  fullScreen: ["Full screen", "Volledig scherm"],
  noSuchItem: ["There is no picture at this address.", "Er is geen beeld op dit adres."],
  toList: ["Look at the list", "Naar de lijst"],
  original: ["Original picture", "Origineel beeld"],
  atSource: ["At its source ({source})", "Bij de bron ({source})"],
  albumsBy: ["Albums by {name}", "Albums van {name}"],
  albumsOf: ["Albums of this artist", "Albums van deze artiest"],
  rights: ["Rights", "Rechten"],
  followers: ["{count} followers", "{count} volgers"],
  tracks: ["{count} tracks", "{count} nummers"],
  minutes: ["{count} minutes", "{count} minuten"],
  songs: ["Songs", "Nummers"],
  place: ["{place} of {total}", "{place} van {total}"],
  shortPlace: ["{place} / {total}", "{place} / {total}"],
  more: ["More", "Meer"],
  // The trace.
  trace: ["Where it comes from", "Waar het vandaan komt"],
  noCandidates: ["Its source names no picture.", "De bron noemt geen beeld."],
  untried: ["not needed", "niet nodig"],
  chosen: ["chosen", "gekozen"],
  failed: ["failed", "mislukt"],
  remembered: ["failed earlier", "eerder mislukt"],
  followed: ["asked", "gevraagd"],
  stored: ["stored", "bewaard"],
  steps: ["Last look-up, {when}", "Laatste zoektocht, {when}"],
  levels: ["Levels", "Niveaus"],
  level: ["Level", "Niveau"],
  automatic: ["Automatic", "Automatisch"],
  copyAddress: ["Copy address", "Kopieer adres"],
  empty: ["not made yet", "nog niet gemaakt"],
  timing: ["{all}\u00a0ms: {parts}", "{all}\u00a0ms: {parts}"],
  timingQuick: ["{all}\u00a0ms", "{all}\u00a0ms"],
  timingHit: ["{all}\u00a0ms, from the cache", "{all}\u00a0ms, uit de cache"],
  timingKept: ["{all}\u00a0ms, kept by this browser", "{all}\u00a0ms, bewaard door deze browser"],
  askedIn: ["{milliseconds}\u00a0ms, {when}", "{milliseconds}\u00a0ms, {when}"],
  askedAt: ["asked {when}", "gevraagd {when}"],
  storedSince: ["stored since {when}", "bewaard sinds {when}"],
  showAs: ["Show {level} as {format}", "Toon {level} als {format}"],
  // Status.
  status: ["Status of the service", "Status van de dienst"],
  hits: ["{ratio} hits", "{ratio} treffers"],
  ready: ["Ready", "Gereed"],
  hitRatio: ["From the cache since the start", "Uit de cache sinds de start"],
  hitRatioOf: ["From the cache, last {minutes} min", "Uit de cache, laatste {minutes} min"],
  nothingAsked: ["nothing asked yet", "nog niets gevraagd"],
  rate: ["Requests per second", "Verzoeken per seconde"],
  disk: ["Cache on disk", "Cache op schijf"],
  memory: ["Cache in memory", "Cache in geheugen"],
  warming: ["Warming", "Opwarmen"],
  warmed: ["{done} pictures", "{done} beelden"],
  warmedOf: ["{done} of {total} pictures", "{done} van {total} beelden"],
  perSecond: ["{rate} a second", "{rate} per seconde"],
  ofBytes: ["{used} of {limit}", "{used} van {limit}"],
  settings: ["Settings", "Instellingen"],
  theme: ["Colors", "Kleuren"],
  auto: ["as the device", "als het apparaat"],
  light: ["light", "licht"],
  dark: ["dark", "donker"],
  keys: ["Keys", "Toetsen"],
  keySearch: ["Search", "Zoeken"],
  keyMove: ["To the next tile or picture", "Naar de volgende tegel of het volgende beeld"],
  keyPages: ["A screen up or down", "Een scherm omhoog of omlaag"],
  keyRow: ["To the ends of a row", "Naar de einden van een rij"],
  keyEnds: ["To the first or the last tile", "Naar de eerste of de laatste tegel"],
  keyOpen: ["Open the picture", "Open het beeld"],
  keyFavorite: ["Favorite", "Favoriet"],
  keySize: ["Size of the tiles, or zoom", "Grootte van de tegels, of zoomen"],
  keyOrder: [
    "Move a favorite, or an artist’s album",
    "Verplaats een favoriet of een album van een artiest",
  ],
  keyFacts: ["Facts beside the picture", "Gegevens naast het beeld"],
  keyWhole: ["The whole picture", "Het hele beeld"],
  keyClose: ["Close", "Sluiten"],
  keySheet: ["This sheet", "Dit blad"],
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

/** A date for people: “18 July 2025”, or what the source says.
 * @param {string} date */
function dateText(date) {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(date) ? new Date(`${date}T12:00`) : null;
  return day ? day.toLocaleDateString(locale(), { dateStyle: "long" }) : date;
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
