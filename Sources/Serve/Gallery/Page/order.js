/** The order of favorites, and of the albums of one artist: by dragging, by Alt and arrows, and by
 * two buttons. A filter shows only some, whose order says nothing of the others. */
class Order {
  /** @param {Grid} grid */
  constructor(grid) {
    this.grid = grid;
    /** @type {{index: number, x: number, y: number, isMoving: boolean, id: number} | null} */
    this.drag = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.hold = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    const { host } = grid;
    host.addEventListener("pointerdown", (event) => this.press(event));
    host.addEventListener("pointermove", (event) => this.move_(event));
    for (const end of ["pointerup", "pointercancel"]) {
      host.addEventListener(end, () => this.release());
    }
    // A long press on a touch screen begins a drag, which scrolling must not take over.
    host.addEventListener("touchmove", (event) => this.drag?.isMoving && event.preventDefault(),
      { passive: false });
    host.addEventListener("contextmenu", (event) => this.drag?.isMoving && event.preventDefault());
    host.addEventListener("keydown", (event) => this.key(event), { capture: true });
  }

  get isOn() {
    const view = readView();
    if (view.albumsOf) return true;
    return view.section.url !== undefined && !filterNames.some((name) => view[name]);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!event.altKey || !this.isOn) return;
    const index = this.grid.indexOf(event.target);
    if (index < 0) return;
    const row = rowOf(this.grid.rows, index);
    /** @type {Record<string, number>} */
    const places = {
      ArrowLeft: index - 1, ArrowRight: index + 1, ArrowUp: this.grid.beside(row - 1, index),
      ArrowDown: this.grid.beside(row + 1, index),
    };
    const to = places[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (this.move(index, to)) this.grid.focus(to);
  }

  /** Moves an item, shows it and keeps it.
   * @param {number} from @param {number} to */
  move(from, to) {
    const { items } = this.grid;
    if (to < 0 || to >= items.length || to === from) return false;
    items.splice(to, 0, ...items.splice(from, 1));
    this.renumber(from, to);
    announce(t("moved", { title: items[to].title, place: to + 1, total: items.length }));
    this.save();
    return true;
  }

  /** Tells tiles that exist their new numbers, and lays them out.
   * @param {number} from @param {number} to */
  renumber(from, to) {
    const { grid } = this;
    /** @type {NodeListOf<HTMLElement>} */
    const tiles = grid.host.querySelectorAll(".tile");
    for (const tile of tiles) {
      const index = Number(tile.dataset.index);
      if (index === from) tile.dataset.index = String(to);
      else if (from < index && index <= to) tile.dataset.index = String(index - 1);
      else if (to <= index && index < from) tile.dataset.index = String(index + 1);
    }
    grid.focused = to;
    grid.arrange(null, true);
  }

  /** Sends the order; changes in quick succession are sent once. */
  save() {
    const { albumsOf } = readView();
    if (albumsOf) {
      keep(`order:${albumsOf}`, this.grid.items.map(({ id }) => id).join());
      return;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      try {
        const items = this.grid.items.filter(({ favorite }) => favorite).map(({ item }) => item);
        await ask("/v1/favorites", { method: "PUT", body: { items } });
      } catch (error) {
        toast(error instanceof Refusal ? error.message : t("notKept"));
      }
    }, 250);
  }

  /** @param {PointerEvent} event */
  press(event) {
    const index = this.grid.indexOf(event.target);
    if (!this.isOn || index < 0 || event.button !== 0) return;
    if (around(event.target, ".star")) return;
    // A second finger changes the size.
    if (!event.isPrimary) {
      this.release();
      return;
    }
    this.drag = { index, x: event.clientX, y: event.clientY, isMoving: false, id: event.pointerId };
    if (event.pointerType !== "mouse") {
      this.hold = setTimeout(() => this.begin(), 350);
    }
  }

  begin() {
    if (!this.drag) return;
    this.drag.isMoving = true;
    this.grid.isDragging = true;
    this.grid.host.setPointerCapture(this.drag.id);
    this.grid.tile(this.drag.index)?.classList.add("is-dragged");
  }

  /** @param {PointerEvent} event */
  move_(event) {
    const { drag } = this;
    if (!drag) return;
    const distance = Math.hypot(event.clientX - drag.x, event.clientY - drag.y);
    if (!drag.isMoving) {
      if (event.pointerType === "mouse" && distance > 6) this.begin();
      else if (distance > 10) this.release();
      return;
    }
    if (event.clientY < 120) scrollBy(0, -12);
    else if (event.clientY > innerHeight - 80) scrollBy(0, 12);
    const to = this.grid.anchor(event.clientX, event.clientY)?.index ?? drag.index;
    if (to !== drag.index && this.move(drag.index, to)) drag.index = to;
  }

  release() {
    clearTimeout(this.hold);
    this.grid.host.querySelector(".is-dragged")?.classList.remove("is-dragged");
    const hasMoved = this.drag?.isMoving;
    this.drag = null;
    // The click that follows a drag opens nothing.
    if (hasMoved) setTimeout(() => { this.grid.isDragging = false; });
  }
}
