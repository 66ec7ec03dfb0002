/** An element of the document.
 * @template {keyof Elements} Id @param {Id} id */
function $(id) {
  return /** @type {Elements[Id]} */ (/** @type {unknown} */ (document.getElementById(id)));
}

/**
 * An element with properties, attributes (those with a dash, and `role`), and children. Texts of a
 * catalog are never read as HTML.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [properties]
 * @param {...(Node | string | null | undefined | false)} children
 */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.includes("-") || name === "role") element.setAttribute(name, String(value));
    else Reflect.set(element, name, value);
  }
  element.append(...parts(children));
  return element;
}

/** A copy with everything inside.
 * @template {HTMLElement} Kind @param {Kind} model */
function copy(model) {
  return /** @type {Kind} */ (model.cloneNode(true));
}

/** What is there of some children.
 * @param {(Node | string | null | undefined | false)[]} children */
function parts(children) {
  return /** @type {(Node | string)[]} */ (children.filter(Boolean));
}

/** A button with a text.
 * @param {string} text @param {(event: MouseEvent) => void} act */
function button(text, act) {
  return make("button", { type: "button", textContent: text, onclick: act });
}

/** A link to another site; null unless its address is one of the web.
 * @param {string} text @param {string | null | undefined} address */
function outward(text, address) {
  if (!/^https?:\/\//i.test(address ?? "")) return null;
  return make("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, text);
}

/** The nearest element of a selector around the target of an event.
 * @param {EventTarget | null} target @param {string} selector @returns {HTMLElement | null} */
function around(target, selector) {
  return target instanceof Element ? target.closest(selector) : null;
}

/** Shows a sentence for a few seconds, above dialogs, too; with a button that takes back what was
 * done.
 * @param {string} sentence @param {() => void} [undo] */
function toast(sentence, undo) {
  const place = $("toast");
  const hide = () => place.matches(":popover-open") && place.hidePopover();
  // Shown again, so that it is above a dialog that was opened meanwhile.
  hide();
  place.replaceChildren(...parts([make("span", {}, sentence), undo && button(t("undo"), () => {
    hide();
    undo();
  })]));
  place.showPopover();
  clearTimeout(toastEnd);
  toastEnd = setTimeout(hide, undo ? 8000 : 5000);
}
/** @type {ReturnType<typeof setTimeout> | undefined} */
let toastEnd;

/** Tells screen readers.
 * @param {string} sentence */
function announce(sentence) {
  $("said").textContent = sentence;
}

/** A number as the language writes it.
 * @param {number} value @param {number} [digits] after the point, at most */
function numberText(value, digits = 0) {
  return value.toLocaleString(locale(), { maximumFractionDigits: digits });
}

/** A number in few figures, such as “811K”.
 * @param {number} value */
function shortNumber(value) {
  return value.toLocaleString(locale(), { notation: "compact", maximumFractionDigits: 0 });
}

/** A part of one in percent.
 * @param {number} value */
function percentText(value) {
  return value.toLocaleString(locale(), { style: "percent", maximumFractionDigits: 0 });
}

/** `1.2 MB`.
 * @param {number} bytes */
function bytesText(bytes) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let unit = 0;
  let value = bytes;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${numberText(value, value < 10 && unit > 0 ? 1 : 0)}\u00a0${units[unit]}`;
}

const isCalm = matchMedia("(prefers-reduced-motion: reduce)");
const isTouched = matchMedia("(hover: none)");
