/** The corner with the state of the service: a number always, the rest when it is opened. */
class Status {
  /** @param {(sources: {name: string, missing: string | null}[]) => void} onSources */
  constructor(onSources) {
    this.onSources = onSources;
    this.panel = $("status-panel");
    /** Whether something is warmed. */
    this.isBusy = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {EventSource | undefined} */
    this.events = undefined;
    this.panel.addEventListener("toggle", () =>
      this.panel.matches(":popover-open") ? this.open() : this.close());
    document.addEventListener("visibilitychange", () => document.hidden ? this.close() : this.look());
  }

  /** Looks once, and again now and then. */
  async look() {
    clearTimeout(this.timer);
    if (document.hidden) return;
    try {
      this.show(/** @type {StatusDocument} */ (await ask("/v1/status")));
      this.timer = setTimeout(() => this.look(), this.isBusy ? 3000 : 30000);
    } catch {
      // A service that is gone is told by the list.
      $("status").textContent = "";
      this.timer = setTimeout(() => this.look(), 30000);
    }
  }

  open() {
    this.events = new EventSource("/v1/status");
    this.events.addEventListener("status", (event) => this.show(JSON.parse(event.data)));
  }

  close() {
    this.events?.close();
    this.events = undefined;
  }

  /** @param {StatusDocument} status */
  show(status) {
    const percent = (/** @type {number | null} */ ratio) => ratio === null ? "–"
      : ratio.toLocaleString(locale(), {
        style: "percent", maximumFractionDigits: 0,
      });
    this.isBusy = status.warming.length > 0;
    this.onSources(status.sources);
    $("status").textContent = this.isBusy
      ? `${t("warming")} ${this.share(status.warming[0])}`
      : t("hits", { ratio: percent(status.hitRatio) });
    const bytes = (/** @type {StatusDocument["disk"]} */ part) => part.limit
      ? t("ofBytes", { used: bytesText(part.bytes), limit: bytesText(part.limit) })
      : bytesText(part.bytes);
    const facts = [
      [t("hitRatio"), percent(status.hitRatio)],
      [t("rate"), status.requestsPerSecond.toLocaleString(locale(), {
        maximumFractionDigits: 1 })],
      [t("disk"), bytes(status.disk)], [t("memory"), bytes(status.memory)],
    ];
    this.panel.replaceChildren(
      make("h2", {}, t("status")),
      make("dl", {}, ...facts.flatMap(([name, value]) =>
        [make("dt", {}, name), make("dd", {}, value)])),
      ...status.warming.map((run) => this.run(run)));
  }

  /** @param {StatusDocument["warming"][number]} run */
  share(run) {
    return run.total ? `${Math.floor((run.done / run.total) * 100)} %` : `${run.done}`;
  }

  /** @param {StatusDocument["warming"][number]} run */
  run(run) {
    const bar = make("progress", { "aria-label": run.name, max: run.total ?? 1 });
    if (run.total) bar.value = run.done;
    return make("div", { className: "run" },
      make("span", {}, `${t("warming")}: ${run.name}`),
      make("span", {}, run.total ? `${run.done} / ${run.total}` : `${run.done}`), bar);
  }
}
