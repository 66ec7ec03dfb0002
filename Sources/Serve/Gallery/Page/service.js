/** A response that is not a success, with the service's sentence. */
class Refusal extends Error {
  /** @param {number} status @param {string} sentence @param {string} kind of the problem */
  constructor(status, sentence, kind) {
    super(sentence);
    this.status = status;
    this.kind = kind;
  }

  /** Whether the same request may succeed later, with nothing changed: not without credentials. */
  get canPass() { return this.status >= 500 && this.kind !== "source-not-configured"; }
}

/**
 * Requests JSON. Retries a few times when the queue is full (503 with Retry-After).
 * @param {string} url
 * @param {{method?: string, body?: unknown, signal?: AbortSignal, cache?: RequestCache,
 *    retries?: number}} options
 * @returns {Promise<unknown>} null for an empty response
 */
async function ask(url, { method = "GET", body, signal, cache, retries = 3 } = {}) {
  const answer = await fetch(url, {
    method, signal, cache,
    headers: {
      Accept: "application/json", ...(body ? { "Content-Type": "application/json" } : {}),
    },
    body: body ? JSON.stringify(body) : undefined,
  });
  if (answer.ok) return answer.status === 204 || answer.status === 201 ? null : answer.json();
  const problem = await answer.json().catch(() => ({}));
  const retryAfter = Number.parseInt(answer.headers.get("Retry-After") ?? "", 10);
  if (answer.status === 503 && retryAfter <= 30 && retries > 0) {
    await pause(retryAfter * 1000, signal);
    return ask(url, { method, body, signal, cache, retries: retries - 1 });
  }
  throw new Refusal(answer.status, problem.detail ?? t("refused", { status: answer.status }),
    String(problem.type ?? "").split(":").at(-1) ?? "");
}

/** Requests JSON as `ask` does. A lost request is sent again and again, until it is aborted.
 * @param {string} url @param {{signal: AbortSignal, cache?: RequestCache}} options
 * @param {(error: unknown) => void} [onLost]
 * @returns {Promise<unknown>} */
async function askUntilAnswered(url, options, onLost) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask(url, options);
    } catch (error) {
      if (options.signal.aborted || !isLost(error)) throw error;
      onLost?.(error);
    }
    await recovery(attempt, options.signal);
  }
}

/** Whether an error says nothing of what was asked: the network failed, or a proxy answered.
 * @param {unknown} error */
function isLost(error) {
  return !(error instanceof Refusal) || (error.status >= 502 && error.kind === "");
}

/** Waits before a lost request is sent again: until the device is online, or longer and longer.
 * @param {number} attempt from 1 @param {AbortSignal} [signal]
 * @returns {Promise<unknown>} */
function recovery(attempt, signal) {
  return Promise.race([
    pause(pauseAfter(attempt), signal),
    new Promise((resolve) => addEventListener("online", resolve, { once: true, signal })),
  ]);
}

/** Milliseconds before a lost request is sent again.
 * @param {number} attempt from 1 */
function pauseAfter(attempt) { return Math.min(2 ** attempt, 60) * 1000; }

/** Everything that the service knows of an item.
 * @param {string} name @param {AbortSignal} signal @param {(error: unknown) => void} [onLost] */
async function askItem(name, signal, onLost) {
  return /** @type {ItemDocument} */ (
    await askUntilAnswered(`/v1/${itemPath(name)}`, { signal }, onLost));
}

/** @param {number} milliseconds @param {AbortSignal} [signal] @returns {Promise<void>} */
function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(), milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** What to tell about an error. What a source's failure was caused by is for operators.
 * @param {unknown} error @param {string} name of the catalog that was asked */
function reason(error, name) {
  if (!(error instanceof Refusal)) return t(navigator.onLine ? "unreachable" : "offline");
  if (error.kind === "source-failed") return t("sourceFailed", { name });
  if (error.kind === "source-too-slow") return t("sourceSlow", { name });
  return error.message;
}

/** The cause of an error, for those who ask.
 * @param {unknown} error */
function cause(error) { return error instanceof Refusal ? error.message : ""; }

/** `source/kind/id` as a part of an address.
 * @param {string} name */
function itemPath(name) {
  return name.split("/").map(encodeURIComponent).join("/");
}

/**
 * An item as the page keeps it.
 * @typedef {object} Shown
 * @property {string} item @property {string} id @property {string} title
 * @property {string | null} language @property {string | null} subtitle
 * @property {string | null} date @property {string[]} genres
 * @property {number | null} aspectRatio @property {string | null} thumbhash
 * @property {string | null} color @property {string | undefined} failure
 * @property {boolean | undefined} favorite
 * @property {Record<string, Size>} thumbnails those that exist, by level
 * @property {Size | undefined} original
 * @property {boolean} [isClear] whether its picture turned out to have transparent parts
 * @property {string | undefined} detail the item whose picture a detail view shows
 */

/** All stars of an item show the same.
 * @param {Shown} item @param {boolean} isFavorite */
async function setFavorite(item, isFavorite) {
  try {
    await ask(`/v1/favorites/${itemPath(item.item)}`, { method: isFavorite ? "PUT" : "DELETE" });
  } catch (error) {
    // It is gone already, which is what was wanted.
    if (isFavorite || !(error instanceof Refusal) || error.status !== 404) throw error;
  }
  item.favorite = isFavorite;
}

/** Changes whether an item is a favorite, and tells how that went.
 * @param {Shown} item @returns {Promise<boolean>} whether it was changed */
async function toggleFavorite(item) {
  if (item.favorite === undefined) return false;
  try {
    await setFavorite(item, !item.favorite);
  } catch (error) {
    toast(error instanceof Refusal ? error.message : t("notKept"));
    return false;
  }
  announce(t(item.favorite ? "kept" : "removed", item));
  document.dispatchEvent(new CustomEvent("favorite", { detail: item }));
  return true;
}
