// What is looked at is in the address of the page, so that it can be kept, sent and gone back to.
const viewFields = ["term", "list", "albumsOf", "title", "genre", "from", "to", "lang"];

function readView() {
  const given = new URLSearchParams(location.search);
  const view = { section: sections.find(({ id }) => id === given.get("in")) ?? sections[0] };
  for (const field of viewFields) view[field] = given.get(field) ?? "";
  return view;
}

function viewAddress(view) {
  const parameters = new URLSearchParams();
  if (view.section !== sections[0]) parameters.set("in", view.section.id);
  for (const field of viewFields) if (view[field]) parameters.set(field, view[field]);
  const query = parameters.toString();
  return query ? `/?${query}` : "/";
}

// Widths of tiles, in CSS pixels; the browser takes the level that fills them on its screen.
const tileWidths = [72, 112, 160, 240, 380];

// A browser may keep nothing for pages.
function readZoom() {
  try {
    const kept = Number.parseInt(localStorage.getItem("zoom") ?? "", 10);
    if (kept in tileWidths) return kept;
  } catch {}
  return 2;
}

function keepZoom(zoom) {
  try {
    localStorage.setItem("zoom", zoom);
  } catch {}
}
