/**
 * Shows where a picture comes from: every candidate and what happened to it, and every level in
 * every format, each a button.
 * @param {HTMLElement} host @param {Shown} item @param {AbortSignal} signal
 * @param {(level: string, format: string) => void} onLevel
 * @returns {Promise<boolean>} whether a level is there
 */
async function showTrace(host, item, signal, onLevel) {
  /** @type {ExplanationDocument} */
  let trace;
  try {
    trace = /** @type {ExplanationDocument} */ (
      await ask(`/v1/explain/${itemPath(item.item)}`, { signal }));
  } catch {
    // The service may keep this to itself.
    return true;
  }
  if (signal.aborted) return true;
  const { candidates, levels } = trace;
  host.replaceChildren(...parts([
    make("h3", {}, t("trace")),
    candidates.length === 0 ? make("p", { className: "soft" }, t("noCandidates"))
      : make("ol", { className: "chain" }, ...candidates.map(candidateStep)),
    stepList(trace),
    make("h3", {}, t("levels")),
    make("div", { className: "levels" }, ...levels.map((level) => levelLine(level, levels, onLevel))),
    make("p", { className: "soft timing", role: "status" }),
  ]));
  showTiming(host);
  return levels.some(({ thumbnails }) => thumbnails.length > 0);
}

/** @param {Candidate} candidate */
function candidateStep({ label, host, state, reason, size, bytes, format, askedAt, milliseconds }) {
  const when = askedAt && timeText(askedAt);
  const facts = [
    host, [bytes === null ? null : format, size && sizeText(size)].filter(Boolean).join(" "),
    bytes === null ? null : bytesText(bytes),
    milliseconds !== null ? t("askedIn", { when, milliseconds })
      : when && t(bytes === null ? "askedAt" : "storedSince", { when }),
    reason,
  ];
  return make("li", { className: `is-${state}` },
    make("b", {}, label), " ", make("span", { className: "state" }, t(state)),
    make("small", {}, facts.filter(Boolean).join(" · ")));
}

/** @param {Size} size */
function sizeText({ width, height }) { return `${width} × ${height}`; }

/** @param {ExplanationDocument} trace */
function stepList({ steps, resolvedAt }) {
  if (steps.length === 0 || !resolvedAt) return null;
  const when = timeText(resolvedAt);
  return make("details", {}, make("summary", {}, t("steps", { when })),
    make("ol", { className: "steps" }, ...steps.map(({ label, outcome, note, milliseconds }) =>
      make("li", { className: `is-${outcome}` }, make("b", {}, label), `: ${note}`,
        milliseconds === null ? null : ` (${milliseconds} ms)`))));
}

/** @param {TracedLevel} level @param {TracedLevel[]} all
 * @param {(level: string, format: string) => void} onLevel */
function levelLine({ name, candidate, failure, thumbnails }, all, onLevel) {
  const most = Math.max(1, ...all.flatMap((other) => other.thumbnails.map(({ bytes }) => bytes)));
  const formats = thumbnails.map(({ format, size, bytes }) => {
    const bar = make("span", { className: "bar", "aria-hidden": "true" });
    bar.style.width = `${Math.max(2, (bytes / most) * 100)}%`;
    return make("button", {
      type: "button", "aria-label": t("showAs", { level: name, format }),
      onclick: () => onLevel(name, format),
    }, bar, make("b", {}, format), make("span", {}, ` ${sizeText(size)} · ${bytesText(bytes)}`));
  });
  const note = failure ? t(failure === "refused" ? "refusedPicture" : failure)
    : thumbnails.length === 0 ? t("empty") : null;
  return make("div", { className: "level" },
    make("span", { className: "name" }, name, candidate && make("small", {}, candidate)),
    make("div", {}, ...formats, note && make("small", { className: "soft" }, note)));
}

/** How long the picture on the stage took, as the browser and the service measured it.
 * @param {HTMLElement} host */
function showTiming(host) {
  const line = host.querySelector(".timing");
  const image = /** @type {HTMLImageElement | null} */ ($("stage").querySelector("img:last-of-type"));
  const entry = image && performance.getEntriesByName(image.src).at(-1);
  if (!line || !(entry instanceof PerformanceResourceTiming)) return;
  const took = entry.serverTiming.map(({ name, duration }) => `${name} ${duration}`).join(", ");
  line.textContent = t(took ? "timing" : "timingHit", {
    all: Math.round(entry.duration), parts: took });
}
document.addEventListener("sharp", () => showTiming($("trace")));
