// Prints the signed path of a picture at any URL: node sign.node.mjs LEVEL URL [EXPIRES], with the key in
// VITRINE_URL_KEYS. docs/signing.md explains each step.
import { createHmac } from "node:crypto";
import { pathToFileURL } from "node:url";

// The URL as Vitrine keeps it. Write host names with other letters than ASCII as xn--…
export function normalForm(url) {
  const text = url.replace(/^[\0- ]+|[\0- ]+$|[\t\r\n]/g, "");
  const [, scheme, host, path, query = ""] = /^(https?:\/\/)([^/?#\\]+)([^?#]*)(\?[^#]*)?/i.exec(text);
  const escaped = (part, others) => part.replace(others, (found) => encodeURIComponent(found));
  const rest = escaped(path.replaceAll("\\", "/"), /%(?![0-9a-f]{2})|[^\w\-.~!$&'()*+,;=:@/%]+/gi)
    + escaped(query, /%(?![0-9a-f]{2})|[^\w\-.~!$&'()*+,;=:@/%?]+/gi);
  return scheme.toLowerCase() + host.toLowerCase() + (rest || "/");
}

export function signedPath(key, level, url, expires) {
  const name = Buffer.from(normalForm(url)).toString("base64url");
  const end = expires === undefined ? "" : `?expires=${expires}`;
  const code = createHmac("sha256", key).update(`${level}/url/${name}${end}`).digest("base64url");
  return `/t/${level}/url/${code}/${name}${end}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  // The first key signs; blanks don't count.
  const key = process.env.VITRINE_URL_KEYS.split(/[,\n]/)[0].replace(/\s/g, "");
  console.log(signedPath(key, ...process.argv.slice(2)));
}
