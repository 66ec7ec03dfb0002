vcl 4.1;

# Varnish in front of Vitrine: varnishd -a 127.0.0.1:8082 -f varnish.vcl -s malloc,1g
# Life, stale-while-revalidate (as grace) and entity tags are taken from Vitrine's own headers.

import std;

backend vitrine {
    .host = "127.0.0.1";
    .port = "8080";
    .first_byte_timeout = 60s;
    .max_connections = 512;
    .probe = {
        .url = "/readyz";
        .interval = 2s;
        .timeout = 2s;
        .window = 5;
        .threshold = 2;
        .initial = 2;
    }
}

acl operators {
    "127.0.0.1";
    "::1";
}

sub vcl_recv {
    if (req.url ~ "^/(admin/|metrics$|readyz$)") {
        if (client.ip !~ operators) {
            return (synth(403, "Forbidden"));
        }
        return (pass);
    }
    if (req.method != "GET" && req.method != "HEAD") {
        return (pass);
    }
    if (req.url ~ "^/(t|b|sheet)/") {
        unset req.http.Cookie;
        # "Vary: Accept": two texts instead of one per browser.
        if (req.http.Accept ~ "image/webp") {
            set req.http.Accept = "image/webp,image/jpeg,*/*;q=0.5";
        } else {
            set req.http.Accept = "image/jpeg,*/*;q=0.5";
        }
        # While Vitrine is well, only as stale as it allows; while it is away, whatever is kept.
        if (std.healthy(req.backend_hint)) {
            set req.grace = 1d;
        }
        return (hash);
    }
    return (pass);
}

sub vcl_backend_response {
    if (bereq.url ~ "^/(t|b|sheet)/" && beresp.status == 200) {
        # Kept past its life for stale-if-error, and for revalidation by If-None-Match.
        if (beresp.http.Cache-Control ~ "stale-if-error") {
            set beresp.grace = 7d;
        }
        set beresp.keep = 7d;
    }
    # A failure must not take the place of a picture that is kept.
    if (beresp.status >= 500 && bereq.is_bgfetch) {
        return (abandon);
    }
}

sub vcl_deliver {
    if (obj.hits > 0) {
        set resp.http.X-Cache = "HIT";
    } else {
        set resp.http.X-Cache = "MISS";
    }
    unset resp.http.X-Varnish;
    unset resp.http.Via;
}
