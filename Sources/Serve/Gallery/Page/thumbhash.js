// Evan Wallace's ThumbHash (https://evanw.github.io/thumbhash/), the way back: draws the blurred
// picture that the bytes describe on a canvas of at most `side` pixels.
function drawThumbHash(base64, canvas, aspectRatio, side = 24) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  let at = 0;
  const bits = (count) => {
    let value = 0;
    for (let bit = 0; bit < count; bit++, at++) value |= ((bytes[at >> 3] >> (at & 7)) & 1) << bit;
    return value;
  };
  const light = { mean: bits(6) / 63 };
  const yellow = { mean: bits(6) / 31.5 - 1 };
  const red = { mean: bits(6) / 31.5 - 1 };
  light.scale = bits(5) / 31;
  const hasAlpha = bits(1) === 1;
  const shorter = bits(3);
  // A little more color than measured compensates for rounding.
  yellow.scale = (bits(6) / 63) * 1.25;
  red.scale = (bits(6) / 63) * 1.25;
  const isLandscape = bits(1) === 1;
  const longer = hasAlpha ? 5 : 7;
  const opacity = { mean: 1 };
  if (hasAlpha) {
    opacity.mean = bits(4) / 15;
    opacity.scale = bits(4) / 15;
  }
  const read = (channel, across, down) => {
    channel.terms = [];
    for (let y = 0; y < down; y++) {
      for (let x = y === 0 ? 1 : 0; x * down < across * (down - y); x++) {
        channel.terms.push([x, y, (bits(4) / 7.5 - 1) * channel.scale]);
      }
    }
  };
  read(light, Math.max(3, isLandscape ? longer : shorter), Math.max(3, isLandscape ? shorter : longer));
  read(yellow, 3, 3);
  read(red, 3, 3);
  if (hasAlpha) read(opacity, 5, 5);
  else opacity.terms = [];

  canvas.width = Math.max(1, Math.round(aspectRatio >= 1 ? side : side * aspectRatio));
  canvas.height = Math.max(1, Math.round(aspectRatio >= 1 ? side / aspectRatio : side));
  const waves = (length) => Array.from({ length }, (_, position) =>
    Array.from({ length: 8 }, (_, term) => Math.cos((Math.PI / length) * (position + 0.5) * term)));
  const across = waves(canvas.width);
  const down = waves(canvas.height);
  const picture = new ImageData(canvas.width, canvas.height);
  const value = (channel, x, y) => channel.terms.reduce(
    (sum, [i, j, size]) => sum + 2 * size * across[x][i] * down[y][j],
    channel.mean);
  for (let y = 0, pixel = 0; y < canvas.height; y++) {
    for (let x = 0; x < canvas.width; x++, pixel += 4) {
      const l = value(light, x, y);
      const p = value(yellow, x, y);
      const q = value(red, x, y);
      const blue = l - (2 / 3) * p;
      const ruby = (3 * l - blue + q) / 2;
      picture.data.set([ruby, ruby - q, blue, value(opacity, x, y)].map((v) => v * 255), pixel);
    }
  }
  canvas.getContext("2d").putImageData(picture, 0, 0);
}
