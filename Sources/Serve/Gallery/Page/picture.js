// The levels of the service, which fills them in, smallest first.
/** @type {{name: string, width: number, height: number}[]} */
const levels = {{levels}};

/**
 * The smallest level that fills a place. One that is a little too small is sharp enough.
 * @param {Shown} item @param {number} width of the place in CSS pixels @param {number} height
 */
function levelFor(item, width, height) {
  const pixels = (devicePixelRatio || 1) * 0.9;
  const fits = levels.find((level) => {
    const known = item.thumbnails[level.name];
    const [across, down] = known?.width && known.height
      ? [known.width, known.height] : fitted(item.aspectRatio ?? level.width / level.height, level);
    return across >= width * pixels || down >= height * pixels;
  });
  return fits ?? levels[levels.length - 1];
}

/** @param {number} ratio @param {{width: number, height: number}} box @returns {[number, number]} */
function fitted(ratio, box) {
  return ratio > box.width / box.height
    ? [box.width, box.width / ratio] : [box.height * ratio, box.height];
}

/** Size of the largest thumbnail that is known. @param {Shown} item */
function largest(item) {
  for (const level of levels.toReversed()) {
    const known = item.thumbnails[level.name];
    if (known?.width && known.height) return { width: known.width, height: known.height };
  }
  return null;
}

/** @param {string} item @param {string} level @param {string} [extension] */
function thumbnailURL(item, level, extension = "") {
  return `/t/${level}/${itemPath(item)}${extension && `.${extension}`}`;
}

/**
 * A frame of a given size with the picture of an item. It is never cropped or enlarged, and its
 * color and blurred picture stand for it until it is there.
 * @param {Shown} item @param {number} width @param {number} height @param {boolean} isUrgent
 */
function pictureFrame(item, width, height, isUrgent) {
  const frame = make("span", { className: "frame" });
  if (item.failure) {
    frame.append(placeholder(item));
    return frame;
  }
  if (item.color) frame.style.backgroundColor = item.color;
  const image = make("img", { alt: "", decoding: "async", draggable: false });
  image.fetchPriority = isUrgent ? "high" : "low";
  image.addEventListener("load", () => {
    image.classList.add("is-there");
    limit(image, item);
    setTimeout(() => frame.querySelector("canvas")?.remove(), 300);
  });
  let attempts = 0;
  image.addEventListener("error", () => {
    // The queue was full, or the service restarts. A failed picture has a placeholder.
    if (attempts++ < 4) {
      setTimeout(() => {
        if (frame.isConnected && !image.naturalWidth) image.src = image.src;
      }, 1000 * 2 ** attempts);
    } else {
      item.failure = "unavailable";
      frame.replaceChildren(placeholder(item));
    }
  });
  const url = thumbnailURL(item.item, levelFor(item, width, height).name);
  // Those that are scrolled to later are asked for a few at a time, so that no frame waits for it.
  if (isUrgent) image.src = url;
  else requests.push({ image, url });
  frame.append(image);
  if (item.thumbhash && item.aspectRatio) blurs.push({ frame, item });
  return frame;
}

/** Gives an image the level for a new size. @param {Element} frame @param {Shown} item
 * @param {number} width @param {number} height */
function resizePicture(frame, item, width, height) {
  const image = frame.querySelector("img");
  if (!image) return;
  const url = thumbnailURL(item.item, levelFor(item, width, height).name);
  // The smaller one stays until the larger one is there.
  if (!image.src || new URL(image.src).pathname !== url) image.src = url;
}

/** Never larger than its pixels. @param {HTMLImageElement} image @param {Shown} item */
function limit(image, item) {
  const size = item.original ?? largest(item);
  const width = size?.width ?? Infinity;
  image.style.maxWidth = width < 320 ? `${width}px` : "";
}

/** What the page draws where there is no picture. @param {Shown} item */
function placeholder(item) {
  const texts = {
    absent: "absent", unavailable: "unavailable", timedOut: "timedOut", rejected: "rejected",
    refused: "refusedPicture",
  };
  const key = texts[/** @type {keyof typeof texts} */ (item.failure)] ?? "absent";
  return make("span", { className: `placeholder is-${item.failure}` },
    make("span", { "aria-hidden": "true" }, item.title.slice(0, 1).toUpperCase()),
    make("small", {}, t(key)));
}

/** Pictures that wait to be asked for. @type {{image: HTMLImageElement, url: string}[]} */
const requests = [];
const requestsPerFrame = 3;

/** Asks for a few pictures; returns whether more wait. */
function requestPictures() {
  for (let count = 0; count < requestsPerFrame && requests.length > 0;) {
    const { image, url } = /** @type {any} */ (requests.shift());
    if (!image.isConnected || image.src) continue;
    image.src = url;
    count += 1;
  }
  return requests.length > 0;
}

/** Blurred pictures that wait to be drawn. @type {{frame: HTMLElement, item: Shown}[]} */
const blurs = [];

/** Draws blurred pictures for a few milliseconds; returns whether more wait. */
function drawBlurs() {
  const end = performance.now() + 3;
  while (blurs.length > 0 && performance.now() < end) {
    const { frame, item } = /** @type {any} */ (blurs.pop());
    if (!frame.isConnected || frame.querySelector("img.is-there")) continue;
    const canvas = make("canvas", { "aria-hidden": "true" });
    drawThumbHash(item.thumbhash, canvas, item.aspectRatio, 16);
    frame.prepend(canvas);
  }
  return blurs.length > 0;
}

/** A star for an item; null where the service keeps no favorites. @param {Shown} item */
function starButton(item) {
  if (item.favorite === undefined) return null;
  const star = make("button", { className: "star", type: "button", tabIndex: -1 });
  star.addEventListener("click", () => toggleFavorite(item));
  showStar(star, item);
  return star;
}

/** @param {HTMLElement} star @param {Shown} item */
function showStar(star, item) {
  star.textContent = item.favorite ? "★" : "☆";
  star.setAttribute("aria-pressed", String(item.favorite));
  star.setAttribute("aria-label", t("favorite", item));
  star.title = t("favorite", item);
}
