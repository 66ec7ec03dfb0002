/** The keys of the page, on a sheet that “?” opens. */
const keySheet = {
  open() {
    const sheet = $("keys-panel");
    /** @type {[string, string][]} */
    const keys = [
      ["/", "keySearch"], ["← ↑ → ↓", "keyMove"], ["PgUp PgDn", "keyPages"],
      ["Home End", "keyRow"], ["Ctrl Home End", "keyEnds"], ["Enter", "keyOpen"],
      ["f", "keyFavorite"], ["+ −", "keySize"], ["Alt ←→", "keyOrder"], ["i", "keyFacts"],
      ["0", "keyWhole"], ["Esc", "keyClose"], ["?", "keySheet"],
    ];
    sheet.replaceChildren(
      make("h2", { id: "keys-title" }, t("keys")),
      make("dl", {}, ...keys.flatMap(([key, name]) =>
        [make("dt", {}, make("kbd", {}, key)), make("dd", {}, t(name))])),
      button(t("close"), () => sheet.close()));
    if (!sheet.open) sheet.showModal();
  },
};
$("keys").addEventListener("click", () => keySheet.open());
