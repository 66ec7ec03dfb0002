// A response that is not a success, with the service's sentence.
class Refusal extends Error {
  constructor(status, sentence, retryAfter) {
    super(sentence);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

// Requests JSON. Retries a few times when the queue is full (503 with Retry-After).
async function ask(url, { method = "GET", signal, patience = 3 } = {}) {
  const answer = await fetch(url, { method, signal, headers: { Accept: "application/json" } });
  if (answer.ok) return answer.status === 204 || answer.status === 201 ? null : answer.json();
  const problem = await answer.json().catch(() => ({}));
  const retryAfter = Number.parseInt(answer.headers.get("Retry-After") ?? "", 10);
  if (answer.status === 503 && retryAfter <= 30 && patience > 0) {
    await pause(retryAfter * 1000, signal);
    return ask(url, { method, signal, patience: patience - 1 });
  }
  throw new Refusal(
    answer.status, problem.detail ?? `The service answered ${answer.status}.`, retryAfter);
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

// `source/kind/id` as a part of an address.
function itemPath(item) {
  return item.item.split("/").map(encodeURIComponent).join("/");
}

async function setFavorite(item, isFavorite) {
  try {
    await ask(`/v1/favorites/${itemPath(item)}`, { method: isFavorite ? "PUT" : "DELETE" });
  } catch (error) {
    // It is gone already, which is what was wanted.
    if (isFavorite || error.status !== 404) throw error;
  }
  item.favorite = isFavorite;
}
