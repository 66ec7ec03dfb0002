/** The levels of the service, smallest first. */
const { levels } = given;

/**
 * The smallest level that fills a place. One that is a little too small is sharp enough.
 * @param {Shown} item @param {number} width of the place in CSS pixels @param {number} height
 */
function levelFor(item, width, height) {
  const pixels = (devicePixelRatio || 1) * 0.9;
  const fits = levels.find((level) => {
    const known = item.thumbnails[level.name];
    const [across, down] = known
      ? [known.width, known.height] : fitted(item.aspectRatio ?? level.width / level.height, level);
    return across >= width * pixels || down >= height * pixels;
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

const frameModel = make("span", { className: "frame" });
const imageModel = make("img", { alt: "", decoding: "async", draggable: false });

/**
 * A frame of a given size with the picture of an item. It is never cropped or enlarged, and its
 * color and blurred picture stand for it until it is there.
 * @param {Shown} item @param {number} width @param {number} height @param {boolean} isUrgent
 */
function pictureFrame(item, width, height, isUrgent) {
  const frame = copy(frameModel);
  if (item.failure) {
    frame.append(placeholder(item));
    return frame;
  }
  if (item.color) frame.style.backgroundColor = item.color;
  const image = copy(imageModel);
  image.setAttribute("fetchpriority", isUrgent ? "high" : "low");
  const url = thumbnailURL(item.item, levelFor(item, width, height).name);
  // Those that are scrolled to later are asked for a few at a time, so that no frame waits for it.
  if (isUrgent) image.src = url;
  else requests.push({ image, url });
  frame.append(image);
  if (item.thumbhash && item.aspectRatio) blurs.push({ frame, item });
  return frame;
}

/** Shows a picture of the list that has come.
 * @param {HTMLImageElement} image @param {Shown} item @param {boolean} isMoving */
function reveal(image, item, isMoving) {
  const blurred = image.parentElement?.querySelector("canvas");
  // Without the blurred one it doesn't fade, which costs much while the page is scrolled.
  if (isMoving) blurred?.remove();
  else if (blurred) setTimeout(() => blurred.remove(), 300);
  image.classList.add("is-there");
  limit(image, item);
}

/** How often a picture was asked for again.
 * @type {WeakMap<HTMLImageElement, number>} */
const attempts = new WeakMap();

/** Asks for a picture of the list again. The queue was full, or the service restarts; a failed
 * picture has a placeholder.
 * @param {HTMLImageElement} image @param {Shown} item */
function retry(image, item) {
  const attempt = (attempts.get(image) ?? 0) + 1;
  attempts.set(image, attempt);
  if (attempt > 4) {
    item.failure = "unavailable";
    image.parentElement?.replaceChildren(placeholder(item));
    return;
  }
  setTimeout(() => {
    if (image.isConnected && !image.naturalWidth) image.src = image.src;
  }, 1000 * 2 ** attempt);
}

/** Gives an image the level for a new size.
 * @param {Element} frame @param {Shown} item
 * @param {number} width @param {number} height */
function resizePicture(frame, item, width, height) {
  const image = frame.querySelector("img");
  if (!image) return;
  const url = thumbnailURL(item.item, levelFor(item, width, height).name);
  // The smaller one stays until the larger one is there.
  if (!image.src || new URL(image.src).pathname !== url) image.src = url;
}

/** Never larger than its pixels.
 * @param {HTMLImageElement} image @param {Shown} item */
function limit(image, item) {
  const size = item.original ?? largest(item);
  const width = size?.width ?? Infinity;
  image.style.maxWidth = width < 320 ? `${width}px` : "";
}

/** What the page draws where there is no picture.
 * @param {Shown} item */
function placeholder(item) {
  /** @type {Record<string, string>} */
  const keys = { unavailable: "unavailable", timedOut: "timedOut", rejected: "rejected",
    refused: "refusedPicture" };
  return make("span", { className: `placeholder is-${item.failure}` },
    make("span", { "aria-hidden": "true" }, item.title.slice(0, 1).toUpperCase()),
    make("small", {}, t(keys[item.failure ?? ""] ?? "absent")));
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
    if (!frame.isConnected || frame.querySelector(".is-there")) return false;
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

/** @param {HTMLElement} star @param {Shown} item */
function showStar(star, item) {
  const name = t("favorite", item);
  star.textContent = item.favorite ? "★" : "☆";
  star.setAttribute("aria-pressed", String(item.favorite));
  star.setAttribute("aria-label", name);
  star.title = name;
}
