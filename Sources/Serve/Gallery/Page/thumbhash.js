// Evan Wallace's ThumbHash (https://evanw.github.io/thumbhash/), the way back.

/** One channel: its mean, and its waves as how often across, how often down, how much.
 * @typedef {{mean: number, scale: number, waves: [number, number, number][]}} Channel */

/** Cosines by the number of pixels, eight for each.
 * @type {Map<number, Float32Array>} */
const cosines = new Map();

/** @param {number} length */
function cosinesOf(length) {
  let known = cosines.get(length);
  if (!known) {
    known = Float32Array.from({ length: length * 8 }, (_, at) =>
      Math.cos((Math.PI / length) * ((at >> 3) + 0.5) * (at & 7)));
    cosines.set(length, known);
  }
  return known;
}

/**
 * Draws the blurred picture that the bytes describe on a canvas of at most `side` pixels.
 * @param {string} base64 @param {HTMLCanvasElement} canvas @param {number} aspectRatio
 * @param {number} side
 */
function drawThumbHash(base64, canvas, aspectRatio, side) {
  const width = Math.max(1, Math.round(aspectRatio >= 1 ? side : side * aspectRatio));
  const height = Math.max(1, Math.round(aspectRatio >= 1 ? side / aspectRatio : side));
  const [light, yellow, red, opacity] = readThumbHash(base64).map((channel) =>
    pixelsOf(channel, width, height));
  canvas.width = width;
  canvas.height = height;
  const picture = new ImageData(width, height);
  for (let at = 0; at < width * height; at++) {
    const blue = light[at] - (2 / 3) * yellow[at];
    const ruby = (3 * light[at] - blue + red[at]) / 2;
    picture.data[4 * at] = ruby * 255;
    picture.data[4 * at + 1] = (ruby - red[at]) * 255;
    picture.data[4 * at + 2] = blue * 255;
    picture.data[4 * at + 3] = opacity[at] * 255;
  }
  canvas.getContext("2d")?.putImageData(picture, 0, 0);
}

/** Whether a picture has transparent parts, as far as its blurred one or the picture itself say.
 * @param {{thumbhash: string | null, isClear?: boolean}} item */
function isTransparent({ thumbhash, isClear }) {
  // The last bit of the third byte.
  return isClear ?? (atob(thumbhash?.slice(0, 4) ?? "").charCodeAt(2) & 0x80) !== 0;
}

/** Light, yellow to blue, red to green, and opacity.
 * @param {string} base64 @returns {Channel[]} */
function readThumbHash(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  let at = 0;
  const bits = (/** @type {number} */ count) => {
    let value = 0;
    for (let bit = 0; bit < count; bit++, at++) value |= ((bytes[at >> 3] >> (at & 7)) & 1) << bit;
    return value;
  };
  const channel = (/** @type {number} */ mean) =>
    /** @type {Channel} */ ({ mean, scale: 0, waves: [] });
  const light = channel(bits(6) / 63);
  const yellow = channel(bits(6) / 31.5 - 1);
  const red = channel(bits(6) / 31.5 - 1);
  const opacity = channel(1);
  light.scale = bits(5) / 31;
  const hasAlpha = bits(1) === 1;
  const shorter = bits(3);
  // A little more color than measured compensates for rounding.
  yellow.scale = (bits(6) / 63) * 1.25;
  red.scale = (bits(6) / 63) * 1.25;
  const isLandscape = bits(1) === 1;
  const longer = hasAlpha ? 5 : 7;
  if (hasAlpha) {
    opacity.mean = bits(4) / 15;
    opacity.scale = bits(4) / 15;
  }
  const read = (/** @type {Channel} */ { scale, waves }, /** @type {number} */ across,
    /** @type {number} */ down) => {
    for (let y = 0; y < down; y++) {
      for (let x = y === 0 ? 1 : 0; x * down < across * (down - y); x++) {
        waves.push([x, y, (bits(4) / 7.5 - 1) * scale]);
      }
    }
  };
  const [across, down] = isLandscape ? [longer, shorter] : [shorter, longer];
  read(light, Math.max(3, across), Math.max(3, down));
  read(yellow, 3, 3);
  read(red, 3, 3);
  if (hasAlpha) read(opacity, 5, 5);
  return [light, yellow, red, opacity];
}

/** The values of a channel, row by row: first the sum of the waves down, then those across.
 * @param {Channel} channel @param {number} width @param {number} height */
function pixelsOf({ mean, waves }, width, height) {
  const values = new Float32Array(width * height);
  const across = cosinesOf(width);
  const down = cosinesOf(height);
  const sums = new Float32Array(8);
  const most = waves.reduce((most, [x]) => Math.max(most, x), 0);
  for (let y = 0; y < height; y++) {
    sums.fill(0);
    for (const [i, j, size] of waves) sums[i] += 2 * size * down[8 * y + j];
    for (let x = 0; x < width; x++) {
      let value = mean;
      for (let i = 0; i <= most; i++) value += sums[i] * across[8 * x + i];
      values[y * width + x] = value;
    }
  }
  return values;
}
