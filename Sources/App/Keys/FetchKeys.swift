import Fetch

extension ConfigurationKey {
    static let fetch: [Self] = [
        .single(
            "fetch.userAgent", \.fetch.userAgent,
            .text("text without line breaks") { text in
                !text.isEmpty && text.utf8.allSatisfy { (0x20..<0x7f).contains($0) }
            },
            "Tells origins who asks; add how to reach you, some refuse anonymous clients."),
        .single(
            "fetch.connectTimeout", \.fetch.connectTimeout,
            .duration(.milliseconds(1)...(.seconds(600))),
            "Name look-up, connection and TLS handshake."),
        .single(
            "fetch.lowSpeedLimit", \.fetch.lowSpeedLimit, .size(0...(1 << 30)),
            "An origin that sends less than this a second, for as long as lowSpeedTime, is stuck."),
        .single(
            "fetch.lowSpeedTime", \.fetch.lowSpeedTime, .duration(.seconds(1)...hour),
            "See lowSpeedLimit."),
        .single(
            "fetch.totalTimeout", \.fetch.totalTimeout, .duration(.milliseconds(1)...day),
            "One attempt, from start to last byte."),
        .single(
            "fetch.maxRedirects", \.fetch.maxRedirects, .integer(0...50), "Redirects followed."),
        .single(
            "fetch.maxTransfers", \.fetch.maxTransfers, .integer(1...10_000),
            "Transfers under way at once, over all hosts."),
        .single(
            "fetch.hostConcurrency", \.fetch.defaultHost.maxConcurrent, .integer(1...1_000),
            "Transfers under way at once to a host that has no profile of its own."),
        .single(
            "fetch.attempts", \.fetch.retry.attempts, .integer(1...20),
            "Tries in all, the first included."),
        .single(
            "fetch.baseDelay", \.fetch.retry.baseDelay, .duration(.zero...hour),
            "Upper edge of the first pause between tries; it doubles each time, and the pause is "
                + "drawn evenly from zero."),
        .single(
            "fetch.maxDelay", \.fetch.retry.maxDelay, .duration(.zero...day),
            "Upper edge of any pause."),
        .single(
            "fetch.maxRetryAfter", \.fetch.retry.maxRetryAfter, .duration(.zero...day),
            "A longer Retry-After ends the tries."),
        .list(
            "fetch.connectTo", \.fetch.connectTo,
            of: .hostMapping,
            "HOST:PORT:HOST:PORT connects to the second pair where the first is asked for; the "
                + "address reached is still checked."),
        .single(
            "fetch.caFile", \.fetch.caFile, .optional(.text("the path of a PEM file")),
            "Certificates trusted instead of the system's."),
        .single(
            "fetch.proxy", \.fetch.proxy,
            .optional(.proxyURL),
            "Proxy for every transfer. http_proxy and its kin are not read."
        ).hidingUserInfo(),
        .list(
            "fetch.allowNetworks", \.fetch.allowedNetworks,
            of: .network,
            "Networks that may be reached although they are not public."),
    ]
}
