/** @param {string} id @returns {any} the element, whatever its kind */
const $ = (id) => document.getElementById(id);

/**
 * An element with properties, attributes (those with a dash, and `role`), and children. Texts of a
 * catalog are never read as HTML.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {any}
 */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.includes("-") || name === "role") element.setAttribute(name, value);
    else if (name === "onclick") element.addEventListener("click", value);
    else /** @type {any} */ (element)[name] = value;
  }
  element.append(.../** @type {Node[]} */ (children.filter(Boolean)));
  return element;
}

/** A button with a name for screen readers and as a tooltip.
 * @param {string} name @param {string} text @param {(event: MouseEvent) => void} act */
function button(name, text, act) {
  return make("button", {
    type: "button", title: name, "aria-label": name, textContent: text, onclick: act,
  });
}

/** A link to another site; null unless its address is one of the web.
 * @param {string} text @param {string | null | undefined} address */
function outward(text, address) {
  if (!/^https?:\/\//i.test(address ?? "")) return null;
  return make("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, text);
}

/** Shows a sentence for a few seconds, above dialogs, too.
 * @param {string} sentence */
function toast(sentence) {
  const place = $("toast");
  // Shown again, so that it is above a dialog that was opened meanwhile.
  if (place.matches(":popover-open")) place.hidePopover();
  place.textContent = sentence;
  place.showPopover();
  clearTimeout(toastEnd);
  toastEnd = setTimeout(() => place.matches(":popover-open") && place.hidePopover(), 5000);
}
/** @type {ReturnType<typeof setTimeout> | undefined} */
let toastEnd;

/** Tells screen readers. @param {string} sentence */
function announce(sentence) {
  $("said").textContent = sentence;
}

/** `1.2 MB`. @param {number} bytes */
function bytesText(bytes) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let unit = 0;
  let value = bytes;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${value.toLocaleString(document.documentElement.lang, {
    maximumFractionDigits: value < 10 && unit > 0 ? 1 : 0,
  })} ${units[unit]}`;
}

const isCalm = matchMedia("(prefers-reduced-motion: reduce)");
