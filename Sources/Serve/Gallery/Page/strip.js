/** A strip above the footer while the cache is warmed: what is done, of how much, and how fast.
 * @param {StatusDocument["warming"]} runs */
function showStrip(runs) {
  const strip = $("strip");
  strip.hidden = runs.length === 0;
  strip.replaceChildren(...runs.slice(0, 3).map((run) => make("span", {},
    make("b", {}, runName(run)), ` ${runText(run)}`)));
  const [done, total] = runs.reduce(([done, total], run) =>
    [done + run.done, total + (run.total ?? 0)], [0, 0]);
  strip.style.setProperty("--part", total > 0 ? `${Math.min(100, (done / total) * 100)}%` : "0%");
}

/** “217 of 300 pictures · 9.7 a second”
 * @param {StatusDocument["warming"][number]} run */
function runText({ done, total, perSecond }) {
  const parts = [
    total ? t("warmedOf", { done: numberText(done), total: numberText(total) })
      : t("warmed", { done: numberText(done) }),
    perSecond && t("perSecond", { rate: numberText(perSecond, 1) }),
  ];
  return parts.filter(Boolean).join(" · ");
}

/** The source of a run; an older service only has its command.
 * @param {StatusDocument["warming"][number]} run */
function runSource({ source, name }) { return source ?? name.split(" ")[0]; }

/** What a run warms, for people.
 * @param {StatusDocument["warming"][number]} run */
function runName(run) {
  const section = sections.find(({ source }) => source === runSource(run));
  const list = section?.browse?.find(([path]) => path === `${section.source}/${run.list}`)?.[1];
  const name = section ? sectionName(section) : run.title ?? runSource(run);
  return list && list !== "all" ? `${name}, ${sentences[list] ? t(list) : list}` : name;
}
