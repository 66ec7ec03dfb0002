/** The levels of the service, smallest first. */
const { levels } = given;

/** Sources whose terms forbid to crop. */
const uncropped = new Set(given.uncropped);

/** Names of sources whose originals are not offered. */
const withoutOriginals = new Set(given.withoutOriginals);

/** Where the original of an item is; null where it is not offered.
 * @param {string} item */
function originalURL(item) {
  return withoutOriginals.has(item.split("/")[0]) ? null : `/o/${itemPath(item)}`;
}

/** How much of its shape a picture may lose to its frame, and how much it may be enlarged for
 * it. */
const tolerance = 0.08;

/**
 * The smallest level that fills a place, or has all that its original has. One that is a little too
 * small is sharp enough.
 * @param {Shown} item @param {number} width of the place in CSS pixels @param {number} height
 */
function levelFor(item, width, height) {
  const pixels = (devicePixelRatio || 1) * 0.9;
  const fits = levels.find((level) => {
    const known = item.thumbnails[level.name];
    const [across, down] = known
      ? [known.width, known.height] : fitted(item.aspectRatio ?? level.width / level.height, level);
    return across >= width * pixels || down >= height * pixels || (item.original
      && level.width >= item.original.width && level.height >= item.original.height);
  });
  return fits ?? levels[levels.length - 1];
}

/** @param {number} ratio @param {Size} box @returns {[number, number]} */
function fitted(ratio, box) {
  return ratio > box.width / box.height
    ? [box.width, box.width / ratio] : [box.height * ratio, box.height];
}

/** Size of the largest thumbnail that is known.
 * @param {Shown} item @returns {Size | undefined} */
function largest(item) {
  return item.thumbnails[levels.findLast(({ name }) => item.thumbnails[name])?.name ?? ""];
}

/** @param {string} item @param {string} level @param {string} [extension] */
function thumbnailURL(item, level, extension = "") {
  return `/t/${level}/${itemPath(item)}${extension && `.${extension}`}`;
}

/** Whether the original is larger than the service fetches it: at the size of a level.
 * @param {{item: string}} item */
function isScaled({ item }) { return item.startsWith("rijksmuseum/"); }

/** The level that an address of a thumbnail names.
 * @param {string} url */
function levelOf(url) {
  const name = new URL(url, location.href).pathname.split("/")[2];
  return levels.find((level) => level.name === name);
}

const frameModel = make("span", { className: "frame" });
const imageModel = make("img", { alt: "", decoding: "async", draggable: false });

/**
 * A frame of a given size with the picture of an item. Its color and blurred picture stand for it
 * until it is there.
 * @param {Shown} item @param {number} width @param {number} height @param {boolean} isUrgent
 */
function pictureFrame(item, width, height, isUrgent) {
  const frame = copy(frameModel);
  setSize(frame, width, height);
  if (item.failure) {
    frame.append(placeholder(item));
    tryLater(frame, item);
    return frame;
  }
  if (isTransparent(item)) frame.classList.add("is-clear");
  else if (item.color) frame.style.backgroundColor = item.color;
  else frame.classList.add("is-cold");
  const image = copy(imageModel);
  image.setAttribute("fetchpriority", isUrgent ? "high" : "low");
  const url = thumbnailURL(item.item, levelFor(item, width, height).name);
  // Those that are scrolled to later are asked for a few at a time, so that no frame waits for it.
  if (isUrgent) image.src = url;
  else requests.push({ image, url });
  frame.append(image);
  if (item.thumbhash && item.aspectRatio) blurs.push({ frame, item });
  fit(frame, image, item, width, height);
  return frame;
}

/** @param {HTMLElement} element @param {number} width @param {number} height */
function setSize({ style }, width, height) {
  style.width = `${width}px`;
  style.height = `${height}px`;
}

/** Whether a picture stands whole in a frame, instead of being cropped to it.
 * @param {Shown} item @param {number} width @param {number} height */
function isWhole({ item, aspectRatio, original }, width, height) {
  if (!aspectRatio) return false;
  return Math.abs((aspectRatio * height) / width - 1) > tolerance
    || uncropped.has(item.split("/")[0])
    || (original !== undefined && original.width * (1 + tolerance) < width);
}

/** Crops a picture to its frame, or shows it whole, never enlarged, on its own blurred ground.
 * @param {HTMLElement} frame @param {HTMLImageElement} image @param {Shown} item
 * @param {number} width @param {number} height */
function fit(frame, image, item, width, height) {
  const isOnGround = isWhole(item, width, height);
  if (isOnGround !== frame.classList.contains("is-whole")) {
    frame.classList.toggle("is-whole", isOnGround);
  }
  const size = isOnGround && item.original && item.original.width < width ? item.original : null;
  const most = size ? `${size.width}px` : "";
  if (image.style.maxWidth !== most) image.style.maxWidth = most;
  if (!isOnGround || isTransparent(item)) return;
  if (!image.classList.contains("is-there") || frame.querySelector("canvas")) return;
  const ground = make("canvas", { "aria-hidden": "true", width: 12, height: 12 });
  ground.getContext("2d")?.drawImage(image, 0, 0, 12, 12);
  frame.prepend(ground);
}

/** Shows a picture of the list that has come, or what the page draws instead of it.
 * @param {HTMLImageElement} image @param {Shown} item @param {boolean} isMoving */
function reveal(image, item, isMoving) {
  const frame = image.parentElement;
  if (!frame) return;
  const failure = failureOf(image);
  if (failure) {
    fail(frame, item, failure);
    return;
  }
  learn(item, image);
  image.classList.add("is-there");
  frame.classList.remove("is-cold");
  if (item.isClear) frame.classList.add("is-clear");
  fit(frame, image, item, parseFloat(frame.style.width), parseFloat(frame.style.height));
  const blurred = frame.querySelector("canvas");
  // It would show through.
  const mustGo = () => isTransparent(item) || !frame.classList.contains("is-whole");
  if (!blurred || !mustGo()) return;
  // Without the blurred one it doesn't fade, which costs much while the page is scrolled.
  if (isMoving || isTransparent(item)) blurred.remove();
  else setTimeout(() => mustGo() && blurred.remove(), 300);
}

/** Takes over what a picture that has come says of its original.
 * @param {Shown} item @param {HTMLImageElement} image */
function learn(item, image) {
  const { src, naturalWidth: width, naturalHeight: height } = image;
  if (!item.thumbhash) item.isClear ??= hasClearParts(image);
  if (item.aspectRatio && item.original) return;
  item.aspectRatio ??= width / height;
  const level = levelOf(src);
  // What doesn't fill its level is all there is.
  if (level && width < level.width && height < level.height) item.original ??= { width, height };
}

/** Whether a picture that has come has transparent parts.
 * @param {HTMLImageElement} image */
function hasClearParts(image) {
  const context = make("canvas", { width: 12, height: 12 })
    .getContext("2d", { willReadFrequently: true });
  context?.drawImage(image, 0, 0, 12, 12);
  const pixels = context?.getImageData(0, 0, 12, 12).data ?? [];
  return pixels.some((value, at) => at % 4 === 3 && value < 250);
}

/** The service sends a picture for what has none, with a status that says why.
 * @type {Record<number, string>} */
const failures = {
  403: "refused", 404: "absent", 415: "rejected", 502: "unavailable", 504: "timedOut",
};

/** Why an image is the service's placeholder; undefined for a picture.
 * @param {HTMLImageElement} image */
function failureOf(image) { return failures[statusOf(image.src)]; }

/** Whether the last request for a picture that has not come says nothing of the picture: the
 * network failed, the queue was full, or the service restarts.
 * @param {string} url */
function isLostPicture(url) {
  const status = statusOf(url);
  return status < 400 || status === 429 || status >= 500;
}

/** The status of the last answer from an address; 0 if it isn't known.
 * @param {string} url */
function statusOf(url) {
  const entry = performance.getEntriesByName(new URL(url, location.href).href).at(-1);
  return entry instanceof PerformanceResourceTiming ? entry.responseStatus : 0;
}
// A browser keeps 250 entries, and drops those after.
performance.addEventListener("resourcetimingbufferfull", () => performance.clearResourceTimings());

/** @param {HTMLElement} frame @param {Shown} item @param {string} failure */
function fail(frame, item, failure) {
  item.failure = failure;
  frame.classList.remove("is-cold", "is-whole");
  frame.replaceChildren(placeholder(item));
  tryLater(frame, item);
}

/** How long a picture that failed is left alone, in milliseconds.
 * @type {WeakMap<Shown, number>} */
const pauses = new WeakMap();

/** Asks again for a picture whose failure may pass: its origin is back, or faster.
 * @param {HTMLElement} frame @param {Shown} item */
function tryLater(frame, item) {
  if (item.failure !== "unavailable" && item.failure !== "timedOut") return;
  const after = pauses.get(item) ?? 15_000;
  pauses.set(item, Math.min(after * 2, 480_000));
  setTimeout(() => {
    // One that is scrolled to later asks then.
    if (!frame.isConnected) return;
    const [width, height] = [parseFloat(frame.style.width), parseFloat(frame.style.height)];
    const image = copy(imageModel);
    // A browser would show the placeholder again without asking.
    const url = thumbnailURL(item.item, levelFor(item, width, height).name);
    image.src = `${url}?again=${Date.now()}`;
    image.onerror = () => tryLater(frame, item);
    image.onload = () => {
      if (failureOf(image)) {
        tryLater(frame, item);
        return;
      }
      item.failure = undefined;
      image.onload = image.onerror = null;
      frame.replaceChildren(image);
      reveal(image, item, false);
    };
  }, after);
}

/** How often a picture was asked for again.
 * @type {WeakMap<HTMLImageElement, number>} */
const attempts = new WeakMap();

/** Asks for a picture of the list again, after longer and longer pauses: the network failed, the
 * queue was full, or the service restarts. A failed picture has a placeholder.
 * @param {HTMLImageElement} image @param {Shown} item */
function retry(image, item) {
  const attempt = (attempts.get(image) ?? 0) + 1;
  attempts.set(image, attempt);
  if (attempt > 4 && !isLostPicture(image.src)) {
    if (image.parentElement) fail(image.parentElement, item, "unavailable");
    return;
  }
  setTimeout(() => askAgain(image), pauseAfter(attempt));
}

/** Asks for a picture that was lost.
 * @param {HTMLImageElement} image */
function askAgain(image) {
  const { isConnected, src, complete, naturalWidth } = image;
  if (isConnected && src && complete && !naturalWidth) image.src = src;
}
addEventListener("online", () => {
  /** @type {NodeListOf<HTMLImageElement>} */
  const images = document.querySelectorAll("#grid img");
  images.forEach(askAgain);
});

/** Gives a frame another size, and its image the level for it.
 * @param {HTMLElement} frame @param {Shown} item
 * @param {number} width @param {number} height */
function resizePicture(frame, item, width, height) {
  setSize(frame, width, height);
  const image = frame.querySelector("img");
  if (!image) return;
  fit(frame, image, item, width, height);
  const url = thumbnailURL(item.item, levelFor(item, width, height).name);
  // The smaller one stays until the larger one is there.
  if (!image.src || new URL(image.src).pathname !== url) image.src = url;
}

/** What the page draws where there is no picture.
 * @param {Shown} item */
function placeholder(item) {
  const text = failureText(item.failure);
  return make("span", { className: `placeholder is-${item.failure}`, title: text },
    make("span", { "aria-hidden": "true" }, item.title.slice(0, 1).toUpperCase()),
    make("small", {}, text));
}

/** Why there is no picture, in words.
 * @param {string | undefined} failure */
function failureText(failure = "") {
  /** @type {Record<string, string>} */
  const keys = { unavailable: "unavailable", timedOut: "timedOut", rejected: "rejected", unfinished: "rejected",
    refused: "refusedPicture" };
  return t(keys[failure] ?? "absent");
}

/** Pictures that wait to be asked for.
 * @type {{image: HTMLImageElement, url: string}[]} */
let requests = [];
const requestsPerFrame = 3;

/** Asks for a few pictures; returns whether more wait. */
function requestPictures() {
  let count = 0;
  let next = 0;
  for (; next < requests.length && count < requestsPerFrame; next++) {
    const { image, url } = requests[next];
    if (!image.isConnected || image.src) continue;
    image.src = url;
    count += 1;
  }
  requests = requests.slice(next);
  return requests.length > 0;
}

/** Blurred pictures that wait until their row is in sight.
 * @type {{frame: HTMLElement, item: Shown}[]} */
let blurs = [];

/** Draws blurred pictures of these rows for two milliseconds; returns whether more of them wait.
 * @param {Set<Element | null>} rows */
function drawBlurs(rows) {
  const end = performance.now() + 2;
  let isLate = false;
  blurs = blurs.filter(({ frame, item }) => {
    const isShown = frame.querySelector(".is-there")
      && (isTransparent(item) || !frame.classList.contains("is-whole"));
    if (!frame.isConnected || isShown || frame.querySelector("canvas")) return false;
    if (!rows.has(frame.closest(".row"))) return true;
    isLate ||= performance.now() > end;
    if (isLate) return true;
    const canvas = make("canvas", { "aria-hidden": "true" });
    drawThumbHash(item.thumbhash ?? "", canvas, item.aspectRatio ?? 1, 16);
    frame.prepend(canvas);
    return false;
  });
  return isLate;
}
