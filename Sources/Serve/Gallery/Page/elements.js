const $ = (id) => document.getElementById(id);

// An element with properties, attributes (those with a dash, and `role`), and children; nothing that
// comes from a catalog is ever read as HTML.
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.includes("-") || name === "role") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// A link to another site, where its address is one of the web.
function outward(text, address) {
  if (!/^https?:\/\//i.test(address ?? "")) return null;
  return make("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, text);
}
