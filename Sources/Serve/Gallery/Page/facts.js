/** Everything that is known about an item.
 * @param {Omit<Shown, "thumbnails" | "detail"> & Partial<ItemFacts>} item */
function facts(item) {
  const source = item.item.split("/")[0];
  const { genres, tracks } = item;
  const { subtitle, date } = item;
  const lines = [
    // The date says the year, too.
    date?.startsWith(subtitle ?? "?") ? null : subtitle,
    subtitle?.includes(date ?? "?") ? null : date && dateText(date), item.objectNumber,
    item.medium, item.dimensions,
    item.followers && t("followers", { count: numberText(item.followers) }),
    item.trackCount && t("tracks", { count: numberText(item.trackCount) }),
    item.milliseconds && t("minutes", { count: Math.round(item.milliseconds / 60000) }),
  ].filter(Boolean);
  const original = originalURL(item.item);
  const albums = make("a", {
    href: viewAddress({ ...emptyView(readView().section), albumsOf: item.id }),
  }, t("albumsOf"));
  return parts([
    make("h2", { id: "detail-title", lang: item.language ?? "" }, item.title || "…"),
    make("p", { className: "soft" }, lines.join(" · ")),
    genres.length > 0 && make("ul", { className: "genres" },
      ...genres.map((genre) => make("li", {}, genre))),
    item.summary && make("p", { className: "summary", lang: item.language ?? "" }, item.summary),
    tracks && tracks.length > 0 && make("ol", { "aria-label": t("songs") },
      ...tracks.map((track) => make("li", {}, track.title))),
    make("p", { className: "links" },
      outward(t("atSource", { source: sourceName(source) }), item.link),
      !item.failure && original && make("a", { href: original }, t("original")),
      item.item.startsWith("spotify/artist/") && albums),
    item.creditLine && make("p", { className: "soft" }, item.creditLine),
    item.rights && make("p", { className: "soft" },
      outward(t("rights"), item.rights) ?? item.rights),
  ]);
}
