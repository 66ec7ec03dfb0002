vcl 4.1;
# Varnish in front of Vitrine: /etc/varnish/default.vcl on Debian. It keeps what CDN-Cache-Control or Cache-Control
# allows, by URL and Vary, asks again with If-None-Match, and serves what it has while Vitrine is being asked or is down.
# It drops what Vitrine purges, with these settings of Vitrine:
#   cdn: {tags: [Surrogate-Key], purgeURL: "http://127.0.0.1/", purgeMethod: PURGE, purgeHeaders: ["Surrogate-Key: {tags}"]}
# `make proxies` runs this file.

import std;

backend vitrine {
    .host = "127.0.0.1";
    .port = "8080";
    .probe = {
        .url = "/healthz";
        .interval = 2s;
        .timeout = 1s;
        .window = 3;
        .threshold = 2;
        .initial = 2;
    }
}

# Clients that may purge.
acl vitrines {
    "localhost";
}

sub vcl_recv {
    if (req.method == "PURGE") {
        if (client.ip !~ vitrines) {
            return (synth(405, "Not allowed"));
        }
        if (req.http.Surrogate-Key !~ "^[-A-Za-z0-9._~/% ]+$") {
            return (synth(400, "No names"));
        }
        ban("obj.http.Surrogate-Key ~ (^|[[:space:]])(" + regsuball(req.http.Surrogate-Key, " ", "|") + ")([[:space:]]|$)");
        return (synth(200, "Purged"));
    }
    if (req.url ~ "^/(v1/favorites|v1/history|v1/recent|v1/explain|admin|metrics|healthz|readyz)") {
        return (pass);
    }
    # Stale-while-revalidate while Vitrine is well, stale-if-error while it is not.
    if (std.healthy(req.backend_hint)) {
        set req.grace = 1d;
    }
}

sub vcl_backend_response {
    # An error never takes the place of a picture that is there.
    if (beresp.status >= 500 && bereq.is_bgfetch) {
        return (abandon);
    }
    # Where browsers keep less than Varnish (cdn.clientMaxAge).
    if (beresp.http.CDN-Cache-Control ~ "max-age=[0-9]") {
        set beresp.ttl = std.duration(regsub(beresp.http.CDN-Cache-Control, "^.*max-age=([0-9]+).*$", "\1s"), beresp.ttl);
    }
    if (beresp.http.Cache-Control ~ "stale-if-error") {
        # What Vitrine refreshes just now has no life left, and Varnish would not keep it.
        if (beresp.ttl <= 0s) {
            set beresp.ttl = 1s;
        }
        set beresp.grace = 7d;
        # Kept for If-None-Match.
        set beresp.keep = 1d;
        return (deliver);
    }
}

sub vcl_deliver {
    if (obj.hits > 0) {
        set resp.http.X-Cache = "HIT";
    } else {
        set resp.http.X-Cache = "MISS";
    }
    # For Varnish only.
    unset resp.http.Surrogate-Key;
    unset resp.http.CDN-Cache-Control;
}
