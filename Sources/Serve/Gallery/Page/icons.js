// One set of icons, drawn with one pen on a field of 24 by 24.
const iconPaths = {
  star: "m12 3.5 2.600 5.600 6.100.7-4.5 4.200 1.200 6-5.400-3-5.400 3 1.200-6-4.5-4.200 6.100-.7z",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zm4.700-1.800L20 20",
  zoom: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zm4.700-1.800L20 20M10.5 8v5M8 10.5h5",
  plus: "M12 6v12M6 12h12",
  minus: "M6 12h12",
  close: "m6 6 12 12M18 6 6 18",
  left: "m15 5-7 7 7 7",
  right: "m9 5 7 7-7 7",
  first: "M5 5v14M19 12H9m5-5-5 5 5 5",
  last: "M19 5v14M5 12h10m-5-5 5 5-5 5",
  share: "M12 15V4M8 8l4-4 4 4M6 12v7h12v-7",
  download: "M12 4v11m-4-4 4 4 4-4M5 19h14",
  copy: "M9 9h10v11H9zM5 15V4h10",
  folder: "M3 6h6l2 2h10v11H3z",
  more: "M5 12h.1m6.8 0h.1m6.8 0h.1",
  info: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zm0-10v5m0-8v.1",
  full: "M4 9V4h5m11 5V4h-5M4 15v5h5m11-5v5h-5",
  grid: "M4 4h6v6H4zm10 0h6v6h-6zM4 14h6v6H4zm10 0h6v6h-6z",
  list: "M4 6h2m3 0h11M4 12h2m3 0h11M4 18h2m3 0h11",
  filter: "M4 6h16M7 12h10m-7 6h4",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zm0-14v5l3 2",
  settings: "M4 8h9m5 0h2M4 16h2m5 0h9M13 8a2.5 2.5 0 1 0 5 0 2.5 2.5 0 0 0-5 0z"
    + "m-7 8a2.5 2.5 0 1 0 5 0 2.5 2.5 0 0 0-5 0z",
};

/** @typedef {keyof typeof iconPaths} Icon */

/** An icon, which says nothing to screen readers.
 * @param {Icon} name */
function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", iconPaths[name]);
  drawing.setAttribute("viewBox", "0 0 24 24");
  drawing.setAttribute("aria-hidden", "true");
  drawing.setAttribute("class", "icon");
  drawing.append(path);
  return drawing;
}

/** A button that shows an icon; its name is a tooltip, too.
 * @param {string} name @param {Icon} kind @param {(event: MouseEvent) => void} act */
function tool(name, kind, act) {
  return make("button", { type: "button", title: name, "aria-label": name, onclick: act },
    icon(kind));
}

// Those of the page itself.
/** @type {NodeListOf<HTMLElement>} */
const iconPlaces = document.querySelectorAll("[data-icon]");
for (const place of iconPlaces) {
  place.prepend(icon(/** @type {Icon} */ (place.dataset.icon)));
}
