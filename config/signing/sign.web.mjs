// Makes the signed path of a picture at any URL with Web Crypto: in workers, Deno, Bun and Node. Sign on your
// server, never in a page, because whoever has the key can sign. docs/signing.md explains each step.

// The URL as Vitrine keeps it. Write host names with other letters than ASCII as xn--…
export function normalForm(url) {
  const text = url.replace(/^[\0- ]+|[\0- ]+$|[\t\r\n]/g, "");
  const [, scheme, host, path, query = ""] = /^(https?:\/\/)([^/?#\\]+)([^?#]*)(\?[^#]*)?/i.exec(text);
  const escaped = (part, others) => part.replace(others, (found) => encodeURIComponent(found));
  const rest = escaped(path.replaceAll("\\", "/"), /%(?![0-9a-f]{2})|[^\w\-.~!$&'()*+,;=:@/%]+/gi)
    + escaped(query, /%(?![0-9a-f]{2})|[^\w\-.~!$&'()*+,;=:@/%?]+/gi);
  return scheme.toLowerCase() + host.toLowerCase() + (rest || "/");
}

const utf8 = (text) => new TextEncoder().encode(text);
const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

export async function signedPath(key, level, url, expires) {
  const name = base64url(utf8(normalForm(url)));
  const end = expires === undefined ? "" : `?expires=${expires}`;
  const hmac = await crypto.subtle.importKey("raw", utf8(key), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const code = await crypto.subtle.sign("HMAC", hmac, utf8(`${level}/url/${name}${end}`));
  return `/t/${level}/url/${base64url(new Uint8Array(code))}/${name}${end}`;
}
