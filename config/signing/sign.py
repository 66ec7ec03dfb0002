#!/usr/bin/env python3
"""Prints the signed path of a picture at any URL: sign.py LEVEL URL [EXPIRES], with the key in VITRINE_URL_KEYS.

docs/signing.md explains each step."""
import base64
import hashlib
import hmac
import os
import re
import sys


def normal_form(url):
    """The URL as Vitrine keeps it. Write host names with other letters than ASCII as xn--…"""
    text = re.sub(r"[\t\r\n]", "", url.strip("".join(map(chr, range(33)))))
    scheme, host, path, query = re.fullmatch(r"(https?://)([^/?#\\]+)([^?#]*)(\?[^#]*)?(?:#.*)?", text, re.I | re.S).groups("")

    def escaped(text, allowed):
        return re.sub(rf"%(?![0-9A-Fa-f]{{2}})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%{allowed}]",
                      lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), text)

    path, query = escaped(path.replace("\\", "/"), ""), escaped(query, "?")
    return scheme.lower() + host.lower() + (path + query or "/")


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def signed_path(key, level, url, expires=None):
    name = base64url(normal_form(url).encode())
    end = "" if expires is None else f"?expires={expires}"
    code = hmac.new(key.encode(), f"{level}/url/{name}{end}".encode(), hashlib.sha256).digest()
    return f"/t/{level}/url/{base64url(code)}/{name}{end}"


if __name__ == "__main__":
    # The first key signs; blanks don't count.
    key = "".join(re.split(r"[,\n]", os.environ["VITRINE_URL_KEYS"])[0].split())
    print(signed_path(key, sys.argv[1], sys.argv[2], *sys.argv[3:]))
