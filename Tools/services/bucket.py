"""Requests to an S3 store, signed on their own (Signature Version 4)."""
import datetime
import hashlib
import hmac
import re
import urllib.parse
import urllib.request


def signed(method, address, known, query=()):
    """A request without a body. `known` are the values that `s3 start` prints."""
    now = datetime.datetime.now(datetime.UTC)
    day, second = now.strftime("%Y%m%d"), now.strftime("%Y%m%dT%H%M%SZ")
    nothing = hashlib.sha256(b"").hexdigest()
    parts = urllib.parse.urlsplit(address)
    path = urllib.parse.quote(parts.path, safe="/-._~")
    text = "&".join(f"{name}={urllib.parse.quote(value, safe='-._~')}" for name, value in sorted(query))
    fields = {"host": parts.netloc, "x-amz-content-sha256": nothing, "x-amz-date": second}
    names = ";".join(fields)
    canonical = "\n".join(
        [method, path, text] + [f"{name}:{value}" for name, value in fields.items()] + ["", names, nothing])
    scope = f"{day}/{known['S3_REGION']}/s3/aws4_request"
    key = b"AWS4" + known["AWS_SECRET_ACCESS_KEY"].encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    what = "\n".join(["AWS4-HMAC-SHA256", second, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    signature = hmac.new(key, what.encode(), hashlib.sha256).hexdigest()
    del fields["host"]
    fields["Authorization"] = (f"AWS4-HMAC-SHA256 Credential={known['AWS_ACCESS_KEY_ID']}/{scope},"
                               f"SignedHeaders={names},Signature={signature}")
    fields["Content-Length"] = "0"
    return urllib.request.Request(f"http://{parts.netloc}{path}?{text}", headers=fields, method=method)


class Bucket:
    """Reads the store."""

    def __init__(self, known):
        self.known = known

    def get(self, path, query=()):
        request = signed("GET", f"{self.known['S3_ENDPOINT']}{path}", self.known, query)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read()

    def keys(self, prefix):
        found, after = [], ""
        while True:
            query = [("list-type", "2"), ("prefix", prefix)] + ([("start-after", after)] if after else [])
            text = self.get(f"/{self.known['S3_BUCKET']}", query).decode()
            page = re.findall(r"<Key>([^<]+)</Key>", text)
            found += page
            if "<IsTruncated>true</IsTruncated>" not in text:
                return found
            after = page[-1]

    def digest(self, key):
        return hashlib.sha256(self.get(f"/{self.known['S3_BUCKET']}/{key}")).hexdigest()
