/** The levels of the picture on the stage: a slider over the same picture, what the shown one
 * takes, and all that are stored as buttons. */
class Levels {
  /** @param {HTMLElement} host @param {Stage} stage */
  constructor(host, stage) {
    this.host = host;
    this.stage = stage;
    /** @type {TracedLevel[]} */
    this.traced = [];
    this.dial = make("input", {
      type: "range", min: "0", max: String(levels.length - 1), step: "1", "aria-label": t("level"),
      oninput: () => this.choose(levels[Number(this.dial.value)].name, ""),
    });
    this.reading = make("p", { className: "reading", role: "status" });
    this.automatic = button(t("automatic"), () => stage.choose(null));
    this.table = make("div", { className: "levels" });
    const ticks = make("div", { className: "ticks", "aria-hidden": "true" },
      ...levels.map(({ name }) => make("span", {}, name)));
    const address = button(t("copyAddress"),
      () => copyAddress(new URL(stage.url, location.href).href));
    address.prepend(icon("copy"));
    host.replaceChildren(make("h3", {}, t("levels")), this.dial, ticks, this.reading,
      make("p", { className: "acts" }, address, this.automatic), this.table);
    document.addEventListener("sharp", () => this.show());
  }

  /** @param {string} level @param {string} format */
  choose(level, format) { this.stage.choose({ level, format }); }

  /** @param {TracedLevel[]} traced what is stored; nothing for a picture that was just opened */
  trace(traced) {
    this.traced = traced;
    const isMixed = new Set(traced.map(({ candidate }) => candidate).filter(Boolean)).size > 1;
    this.table.replaceChildren(...traced.map((level) => this.line(level, isMixed)));
    this.show();
  }

  /** @param {TracedLevel} level
   * @param {boolean} isMixed whether levels are of several candidates */
  line({ name, candidate, failure, thumbnails }, isMixed) {
    const all = this.traced.flatMap((other) => other.thumbnails);
    const most = Math.max(1, ...all.map(({ bytes }) => bytes));
    const formats = thumbnails.map(({ format, size, bytes }) => {
      const bar = make("span", { className: "bar", "aria-hidden": "true" });
      bar.style.width = `${Math.max(2, (bytes / most) * 100)}%`;
      const choice = make("button", {
        type: "button", "aria-label": t("showAs", { level: name, format }), title: sizeText(size),
        onclick: () => this.choose(name, format),
      }, bar, make("b", {}, format), " ", make("span", {}, bytesText(bytes)));
      choice.dataset.format = format;
      return choice;
    });
    const note = failure ? t(failure === "refused" ? "refusedPicture" : failure)
      : thumbnails.length === 0 ? t("empty") : null;
    const line = make("div", { className: "level" },
      make("span", { className: "name" }, name,
        isMixed && candidate && make("small", {}, candidate)),
      ...formats, note && make("small", { className: "soft" }, note));
    line.dataset.level = name;
    return line;
  }

  /** Shows which level is on the stage, and what it took. */
  show() {
    const { stage } = this;
    const { image } = stage;
    this.host.hidden = !stage.item || Boolean(stage.item.failure);
    this.automatic.setAttribute("aria-pressed", String(stage.chosen === null));
    const level = image && levelOf(image.src);
    if (!image || !level) return;
    const entry = performance.getEntriesByName(image.src).at(-1);
    const timing = entry instanceof PerformanceResourceTiming ? entry : null;
    const size = { width: image.naturalWidth, height: image.naturalHeight };
    this.dial.value = String(levels.indexOf(level));
    this.dial.setAttribute("aria-valuetext", `${level.name}, ${sizeText(size)}`);
    const facts = [
      sizeText(size), timing && bytesText(timing.encodedBodySize), timing && took(timing),
    ].filter(Boolean);
    this.reading.replaceChildren(make("b", {}, level.name), ` ${facts.join(" · ")}`);
    const format = this.formatOf(image.src, level.name, timing?.encodedBodySize);
    for (const line of /** @type {HTMLCollectionOf<HTMLElement>} */ (this.table.children)) {
      const isShown = line.dataset.level === level.name;
      line.classList.toggle("is-shown", isShown);
      for (const choice of line.querySelectorAll("button")) {
        choice.setAttribute("aria-pressed", String(isShown && choice.dataset.format === format));
      }
    }
  }

  /** The format of an address, or of the stored thumbnail with as many bytes as came.
   * @param {string} url @param {string} name of the level @param {number} [bytes] */
  formatOf(url, name, bytes) {
    const end = /\.(\w+)$/.exec(new URL(url).pathname)?.[1];
    if (this.stage.chosen?.format) return end === "jpg" ? "jpeg" : end;
    return this.traced.find((level) => level.name === name)?.thumbnails
      .find((thumbnail) => thumbnail.bytes === bytes)?.format;
  }
}

/** How long a picture took, as the browser and the service measured it.
 * @param {PerformanceResourceTiming} timing */
function took({ duration, transferSize, serverTiming }) {
  const parts = serverTiming.filter(({ duration }) => duration >= 1)
    .map(({ name, duration }) => `${name} ${numberText(duration)}`).join(", ");
  const key = transferSize === 0 ? "timingKept"
    : parts ? "timing" : serverTiming.length > 0 ? "timingQuick" : "timingHit";
  return t(key, { all: numberText(Math.max(1, duration)), parts });
}

/** @param {string} address */
async function copyAddress(address) {
  try {
    await navigator.clipboard.writeText(address);
    toast(t("copied"));
  } catch {
    toast(t("notCopied", { address }));
  }
}
