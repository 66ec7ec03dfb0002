/**
 * Shows where a picture comes from: every candidate, and what happened to it.
 * @param {HTMLElement} host @param {string} item @param {AbortSignal} signal
 * @returns {Promise<TracedLevel[] | null>} the levels; null if the service keeps them to itself
 */
async function showTrace(host, item, signal) {
  /** @type {ExplanationDocument} */
  let trace;
  try {
    trace = /** @type {ExplanationDocument} */ (
      await askUntilAnswered(`/v1/explain/${itemPath(item)}`, { signal }));
  } catch {
    return null;
  }
  if (signal.aborted) return null;
  const { candidates } = trace;
  host.replaceChildren(...parts([
    make("h3", {}, t("trace")),
    candidates.length === 0 ? make("p", { className: "soft" }, t("noCandidates"))
      : make("ol", { className: "chain" }, ...candidates.map((candidate) =>
        candidateStep(candidate, stateOf(candidate, trace)))),
    stepList(trace),
  ]));
  return trace.levels;
}

/** A candidate that thumbnails were made from is the chosen one, also after a later look-up that
 * did not need it.
 * @param {Candidate} candidate @param {ExplanationDocument} trace */
function stateOf({ label, state }, { candidates, levels }) {
  const isKnown = candidates.some((other) => other.state === "chosen");
  return state === "stored" && !isKnown && levels.some(({ candidate }) => candidate === label)
    ? "chosen" : state;
}

/** @param {Candidate} candidate @param {string} state */
function candidateStep({ label, host, reason, size, bytes, format, askedAt, milliseconds }, state) {
  const when = askedAt && timeText(askedAt);
  const facts = [
    host,
    [bytes !== null && format, size && size.width > 0 && sizeText(size)].filter(Boolean).join(" "),
    bytes === null ? null : bytesText(bytes),
    milliseconds !== null ? t("askedIn", { when, milliseconds: numberText(milliseconds) })
      : when && t(bytes === null ? "askedAt" : "storedSince", { when }),
    reason,
  ];
  return make("li", { className: `is-${state}` },
    make("b", {}, label), " ", make("span", { className: "state" }, t(state)),
    make("small", {}, facts.filter(Boolean).join(" · ")));
}

/** @param {ExplanationDocument} trace */
function stepList({ steps, resolvedAt }) {
  if (steps.length === 0 || !resolvedAt) return null;
  const when = timeText(resolvedAt);
  return make("details", {}, make("summary", {}, t("steps", { when })),
    make("ol", { className: "steps" }, ...steps.map(({ label, outcome, note, milliseconds }) =>
      make("li", { className: `is-${outcome}` }, make("b", {}, label), `: ${note}`,
        milliseconds === null ? null : ` (${numberText(milliseconds)} ms)`))));
}
