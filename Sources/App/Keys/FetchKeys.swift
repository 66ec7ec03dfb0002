import Fetch

extension ConfigurationKey {
    static let fetch: [Self] = [
        userAgent,
        .single(
            "fetch.totalTimeout", \.fetch.totalTimeout, .duration(.milliseconds(1)...day),
            "Limit of all attempts of a request together, at most four, without the pauses "
                + "between them."),
        .single(
            "fetch.maxRedirects", \.fetch.maxRedirects, .integer(0...50),
            "Limit of redirects per request."),
        .single(
            "fetch.hostConcurrency", \.fetch.defaultHost.maxConcurrent, .integer(1...1_000),
            "Concurrent transfers to a host without a profile of its own."
        ).reloaded(),
        .list(
            "fetch.connectTo", \.fetch.connectTo,
            of: .hostMapping,
            "HOST:PORT:HOST:PORT connects to the second pair instead of the first. The "
                + "address is still checked."),
        .single(
            "fetch.caFile", \.fetch.caFile, .optional(.text("the path of a PEM file")),
            "PEM file of trusted certificates, used instead of the system's."),
        .single(
            "fetch.proxy", \.fetch.proxy,
            .optional(.proxyURL),
            "Proxy for every transfer. http_proxy and similar variables are ignored."
        ).hidingUserInfo(),
        .list(
            "fetch.allowNetworks", \.fetch.allowedNetworks,
            of: .network,
            "Networks that may be reached although they are not public."),
    ]

    /// The program's own name is written as `auto`: in a file that people keep, a number would be
    /// that of the version which wrote it.
    private static var userAgent: Self {
        let ofProgram = Settings().fetch.userAgent
        var key = single(
            "fetch.userAgent", \.fetch.userAgent,
            ValueSyntax(
                expected:
                    "text in ASCII without line breaks, as a header field carries it, or auto",
                parse: { text in
                    if text == "auto" { return ofProgram }
                    let isValid =
                        !text.isEmpty && text.utf8.allSatisfy { (0x20..<0x7f).contains($0) }
                    return isValid ? text : nil
                },
                print: { $0 == ofProgram ? "auto" : $0 }),
            "Identifies the service to origins. Add how to reach you; some origins reject "
                + "anonymous clients. auto is vitrine and its version.")
        key.resolved = { $0.fetch.userAgent }
        return key
    }
}
