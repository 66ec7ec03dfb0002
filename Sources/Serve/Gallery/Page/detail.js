// One item in detail, with links to its source and its original.
class Detail {
  constructor(grid) {
    this.grid = grid;
    this.dialog = $("detail");
    this.dialog.addEventListener("close", () => this.control?.abort());
    this.dialog.addEventListener("click", ({ target }) => {
      if (target === this.dialog) this.dialog.close();
    });
    this.dialog.addEventListener("keydown", (event) => this.press(event));
  }

  async open(index) {
    const item = this.grid.items[index];
    if (!item) return;
    this.index = index;
    this.control?.abort();
    this.control = new AbortController();
    const { signal } = this.control;
    this.render(item);
    if (!this.dialog.open) this.dialog.showModal();
    // Near the end of what is loaded the next page is wanted.
    if (index > this.grid.items.length - 5) this.grid.loadMore();
    try {
      const whole = await ask(`/v1/${itemPath(item)}`, { signal });
      if (!signal.aborted) this.facts.replaceChildren(...this.known({ ...item, ...whole }));
    } catch {
      // What the list said is shown, and is enough.
    }
  }

  render(item) {
    const button = (label, text, act, isOff = false) => {
      const made = make("button", {
        type: "button", title: label, "aria-label": label, textContent: text, disabled: isOff,
      });
      made.addEventListener("click", act);
      return made;
    };
    const isLast = this.index + 1 >= this.grid.items.length && !this.grid.next;
    this.favorite = starButton(item);
    if (this.favorite) this.favorite.className = "";
    this.facts = make("div", {}, ...this.known(item));
    this.dialog.replaceChildren(make(
      "div", { className: "detail" },
      pictureFrame(item, { sizes: "(max-width: 44rem) 96vw, 38rem", isEager: true }),
      make("div", { className: "text" },
        make("div", { className: "tools" },
          this.favorite,
          button("Previous", "←", () => this.open(this.index - 1), this.index === 0),
          button("Next", "→", () => this.open(this.index + 1), isLast),
          button("Close", "✕", () => this.dialog.close())),
        this.facts)));
    this.dialog.focus();
  }

  known(item) {
    const facts = [
      item.subtitle, item.date, item.objectNumber, item.medium, item.dimensions,
      item.followers && `${item.followers.toLocaleString()} followers`,
      item.trackCount && `${item.trackCount} tracks`,
      item.milliseconds && `${Math.round(item.milliseconds / 60000)} minutes`,
      ...(item.genres ?? []), item.creditLine,
    ];
    return [
      make("h2", { id: "detail-title", lang: item.language ?? "" }, item.title),
      make("p", { className: "soft" }, facts.filter(Boolean).join(" · ")),
      item.summary ? make("p", { className: "summary" }, item.summary) : null,
      item.tracks?.length > 0 ? this.tracks(item.tracks) : null,
      make("p", { className: "links" },
        outward(`At its source (${item.item.split("/")[0]})`, item.link),
        make("a", { href: `/o/${itemPath(item)}` }, "Original picture"),
        item.item.startsWith("spotify/artist/") ? this.albums(item) : null),
      item.rights
        ? make("p", { className: "soft" }, outward("Rights", item.rights) ?? item.rights) : null,
    ].filter(Boolean);
  }

  tracks(tracks) {
    return make("ol", {}, ...tracks.map(({ title }) => make("li", {}, title)));
  }

  albums(artist) {
    const link = make("a", { href: "#" }, "Albums");
    link.addEventListener("click", (event) => {
      event.preventDefault();
      this.dialog.close();
      go({ ...this.grid.view, term: "", albumsOf: artist.id });
    });
    return link;
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowLeft") this.open(this.index - 1);
    else if (event.key === "ArrowRight") this.open(this.index + 1);
    else if (event.key === "f") this.favorite?.click();
    else return;
    event.preventDefault();
  }
}
