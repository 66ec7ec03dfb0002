// The picture of an item in a frame: blurred until it is there. A frame has the shape of its list, and
// a picture is never cropped.
function pictureFrame(item, { sizes, shape, isEager = false }) {
  const frame = make("span", { className: "frame" });
  if (shape) frame.style.aspectRatio = shape;
  if (item.thumbhash && item.aspectRatio) {
    const canvas = make("canvas", { "aria-hidden": "true" });
    drawThumbHash(item.thumbhash, canvas, item.aspectRatio);
    frame.append(canvas);
  } else if (item.color) {
    frame.style.backgroundColor = item.color;
  }
  const image = make("img", {
    alt: "", decoding: "async", loading: isEager ? "eager" : "lazy", draggable: false,
  });
  let attempts = 0;
  const load = () => {
    image.sizes = sizes;
    image.srcset = item.srcset;
    image.src = item.thumbnails.m?.url ?? Object.values(item.thumbnails)[0]?.url ?? "";
  };
  image.addEventListener("load", () => image.classList.add("is-there"));
  // The queue was full, or the service restarts. A failed picture has a placeholder.
  image.addEventListener("error", () => {
    if (attempts++ < 4) setTimeout(() => frame.isConnected && load(), 1000 * 2 ** attempts);
  });
  load();
  frame.append(image);
  return frame;
}

// All stars of an item are the same: that of its tile, and the one beside its large picture. There is
// none where the service says nothing of favorites.
function starButton(item) {
  if (item.favorite === undefined) return null;
  const button = make("button", { className: "star", type: "button" });
  const show = () => {
    button.textContent = item.favorite ? "★" : "☆";
    button.setAttribute("aria-pressed", item.favorite);
    button.setAttribute("aria-label", `Favorite: ${item.title}`);
    button.title = item.favorite ? "Remove from favorites" : "Keep as a favorite";
  };
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await setFavorite(item, !item.favorite);
    } catch (error) {
      notify(error.message);
    }
    button.disabled = false;
    document.dispatchEvent(new CustomEvent("favorite"));
  });
  stars.set(button, show);
  show();
  return button;
}

// What brings each star up to date; goes with its button.
const stars = new WeakMap();
document.addEventListener("favorite", () => {
  for (const button of document.querySelectorAll("[aria-pressed]")) stars.get(button)?.();
});

function notify(sentence) {
  $("notice").textContent = sentence;
  $("notice").hidden = !sentence;
}
