import CCurl

/// The options that every transfer of a fetcher shares.
final class CurlSettings {
    private let configuration: FetchConfiguration
    private let connectTo: StringList?
    let usesProxy: Bool

    init(_ configuration: FetchConfiguration) throws(FetchError) {
        self.configuration = configuration
        usesProxy = configuration.proxy != nil
        guard !configuration.connectTo.isEmpty else {
            connectTo = nil
            return
        }
        guard let list = StringList(configuration.connectTo) else {
            throw .configuration(reason: "there is no memory for the connect-to list")
        }
        connectTo = list
    }

    func apply(to easy: CurlEasy) throws(TransferFailure) {
        try easy.set(CURLOPT_NOSIGNAL, 1)
        try easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try easy.set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        try easy.set(CURLOPT_FOLLOWLOCATION, 0)
        try easy.set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        try easy.set(CURLOPT_USERAGENT, configuration.userAgent)
        try applyTimes(to: easy)
        try applyConnection(to: easy)
    }

    private func applyTimes(to easy: CurlEasy) throws(TransferFailure) {
        try easy.set(CURLOPT_CONNECTTIMEOUT_MS, max(1, configuration.connectTimeout.milliseconds))
        try easy.set(CURLOPT_LOW_SPEED_LIMIT, configuration.lowSpeedLimit)
        try easy.set(
            CURLOPT_LOW_SPEED_TIME, max(1, (configuration.lowSpeedTime.milliseconds + 999) / 1_000))
        // Without it a transfer that ends while its name is being resolved blocks the loop until
        // the resolver's thread comes back; with it that thread is left to clean up after itself.
        try easy.set(CURLOPT_QUICK_EXIT, 1)
    }

    private func applyConnection(to easy: CurlEasy) throws(TransferFailure) {
        // A poster of 130 KB comes with one or two reads instead of eight.
        try easy.set(CURLOPT_BUFFERSIZE, 128 << 10)
        // Common servers close idle connections after 60 s: not to be caught in that moment.
        try easy.set(CURLOPT_MAXAGE_CONN, 55)
        // Addresses and certificates are looked at when a connection opens: not once for ever.
        try easy.set(CURLOPT_MAXLIFETIME_CONN, 3_600)
        try easy.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try easy.set(CURLOPT_PROXY_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let file = configuration.caFile {
            try easy.set(CURLOPT_CAINFO, file)
            try easy.set(CURLOPT_PROXY_CAINFO, file)
        }
        if configuration.caFile != nil || CurlLibrary.hasBundle {
            try easy.set(CURLOPT_CAPATH, nil)
        }
        // Empty strings, not nil: the environment's proxies are nobody's decision here.
        try easy.set(CURLOPT_PROXY, configuration.proxy ?? "")
        try easy.set(CURLOPT_NOPROXY, usesProxy ? "" : "*")
        try easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        if let connectTo {
            try CurlCode.check(ccurl_set_list(easy.handle, CURLOPT_CONNECT_TO, connectTo.head))
        }
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, so that nothing ends early.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: seconds) * 1_000
            + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
