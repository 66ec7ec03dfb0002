/** The corner with the state of the service: a number always, the rest when it is opened. */
class Status {
  /** @param {(status: StatusDocument) => void} onStatus */
  constructor(onStatus) {
    this.onStatus = onStatus;
    this.panel = $("status-panel");
    /** Whether something is warmed. */
    this.isBusy = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {EventSource | undefined} */
    this.events = undefined;
    this.panel.addEventListener("toggle", () =>
      this.panel.matches(":popover-open") ? this.open() : this.close());
    document.addEventListener("visibilitychange", () =>
      document.hidden ? this.close() : this.look());
  }

  /** Looks once, and again now and then. */
  async look() {
    clearTimeout(this.timer);
    if (document.hidden) return;
    try {
      this.show(/** @type {StatusDocument} */ (await ask("/v1/status")));
      this.timer = setTimeout(() => this.look(), this.isBusy ? 2000 : 30000);
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
    const { hitRatio, hitRatioSeconds, warming } = status;
    this.isBusy = warming.length > 0;
    this.onStatus(status);
    const [run] = warming;
    $("status").textContent = run
      ? `${t("warming")} ${run.total ? percentText(run.done / run.total) : numberText(run.done)}`
      : hitRatio === null ? t("ready") : t("hits", { ratio: percentText(hitRatio) });
    const bytes = (/** @type {StatusDocument["disk"]} */ part) => part.limit
      ? t("ofBytes", { used: bytesText(part.bytes), limit: bytesText(part.limit) })
      : bytesText(part.bytes);
    const facts = [
      [hitRatioSeconds
        ? t("hitRatioOf", { minutes: Math.round(hitRatioSeconds / 60) }) : t("hitRatio"),
      hitRatio === null ? t("nothingAsked") : percentText(hitRatio)],
      [t("rate"), numberText(status.requestsPerSecond, 1)],
      [t("disk"), bytes(status.disk)], [t("memory"), bytes(status.memory)],
    ];
    this.panel.replaceChildren(
      make("h2", { id: "status-title" }, t("status")),
      make("dl", {}, ...facts.flatMap(([name, value]) =>
        [make("dt", {}, name), make("dd", {}, value)])),
      ...warming.map((run) => this.run(run)));
  }

  /** @param {StatusDocument["warming"][number]} run */
  run(run) {
    const bar = make("progress", { "aria-label": runName(run), max: run.total ?? 1 });
    if (run.total) bar.value = run.done;
    return make("div", { className: "run" },
      make("span", {}, `${t("warming")}: ${runName(run)}`), make("span", {}, runText(run)), bar);
  }
}
