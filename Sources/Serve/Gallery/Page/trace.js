/**
 * Shows where a picture comes from: every candidate and what happened to it, and every level in
 * every format, each a button.
 * @param {HTMLElement} host @param {Shown} item @param {AbortSignal} signal
 * @param {(level: string, format: string) => void} onLevel
 */
async function showTrace(host, item, signal, onLevel) {
  let trace;
  try {
    trace = await ask(`/v1/explain/${itemPath(item.item)}`, { signal });
  } catch {
    // The service may keep this to itself.
    return;
  }
  if (signal.aborted) return;
  host.replaceChildren(
    make("h3", {}, t("trace")),
    trace.candidates.length === 0 ? make("p", { className: "soft" }, t("noCandidates"))
      : make("ol", { className: "chain" }, ...trace.candidates.map(candidateStep)),
    stepList(trace) ?? "",
    make("h3", {}, t("levels")),
    make("div", { className: "levels" },
      ...trace.levels.map((/** @type {any} */ level) => levelLine(level, trace, onLevel))),
    make("p", { className: "soft timing", role: "status" }));
  showTiming(host);
}

/** @param {any} candidate */
function candidateStep(candidate) {
  const size = candidate.width && candidate.height ? `${candidate.width} × ${candidate.height}` : "";
  const known = candidate.bytes === null ? size
    : [`${candidate.format} ${size}`, bytesText(candidate.bytes)].join(" · ");
  return make("li", { className: `is-${candidate.state}` },
    make("b", {}, candidate.label), " ", make("span", { className: "state" }, t(candidate.state)),
    make("small", {}, [candidate.host, known, candidate.reason].filter(Boolean).join(" · ")));
}

/** @param {any} trace */
function stepList(trace) {
  if (trace.steps.length === 0) return null;
  const when = new Date(trace.resolvedAt).toLocaleString(document.documentElement.lang);
  return make("details", {}, make("summary", {}, t("steps", { when })),
    make("ol", { className: "steps" }, ...trace.steps.map((/** @type {any} */ step) =>
      make("li", { className: `is-${step.outcome}` }, make("b", {}, step.label), `: ${step.note}`,
        step.milliseconds == null ? null : ` (${step.milliseconds} ms)`))));
}

/** @param {any} level @param {any} trace @param {(level: string, format: string) => void} onLevel */
function levelLine(level, trace, onLevel) {
  const most = Math.max(1, ...trace.levels.flatMap((/** @type {any} */ other) =>
    other.thumbnails.map((/** @type {any} */ thumbnail) => thumbnail.bytes)));
  const formats = level.thumbnails.map((/** @type {any} */ thumbnail) => {
    const { format, width, height, bytes } = thumbnail;
    const bar = make("span", { className: "bar", "aria-hidden": "true" });
    bar.style.width = `${Math.max(2, (bytes / most) * 100)}%`;
    return make("button", {
      type: "button", "aria-label": t("showAs", { level: level.name, format }),
      onclick: () => onLevel(level.name, format),
    }, bar, make("b", {}, format), ` ${width}×${height} · ${bytesText(bytes)}`);
  });
  const note = level.failure ? t(level.failure === "refused" ? "refusedPicture" : level.failure)
    : level.thumbnails.length === 0 ? t("empty") : null;
  return make("div", { className: "level" },
    make("span", { className: "name" }, level.name,
      level.candidate && make("small", {}, level.candidate)),
    make("div", {}, ...formats, note && make("small", { className: "soft" }, note)));
}

/** How long the picture on the stage took, as the browser and the service measured it.
 * @param {HTMLElement} host */
function showTiming(host) {
  const line = host.querySelector(".timing");
  const url = /** @type {HTMLImageElement | null} */ ($("stage").querySelector("img:last-of-type"))?.src;
  const entry = /** @type {any} */ (url && performance.getEntriesByName(url).at(-1));
  if (!line || !entry) return;
  const parts = entry.serverTiming.map((/** @type {any} */ part) =>
    `${part.name} ${part.duration}`).join(", ");
  line.textContent = t(parts ? "timing" : "timingHit", { all: Math.round(entry.duration), parts });
}
document.addEventListener("sharp", () => showTiming($("trace")));
