import CCurl
import Glibc

/// One easy handle, reused for one transfer after another. Used on the network thread only.
final class CurlEasy {
    let handle: UnsafeMutableRawPointer
    /// The ticket of its transfer.
    var ticket: HostGate.Ticket = 0
    private let configuration: FetchConfiguration
    private let connectTo: StringList
    private let errorText: UnsafeMutablePointer<CChar>
    /// Whether the shared options are set and no option of an earlier transfer is left.
    private var isPrepared = false
    private var headers: StringList?
    private var target: Target?
    private var addresses: AddressPolicy?
    private var reception = Reception(maxBytes: 0)
    private var refusal: FetchError.Cause?
    private var openedSocket = false

    /// `nil` when memory runs out.
    init?(_ configuration: FetchConfiguration, _ connectTo: StringList) {
        guard let handle = curl_easy_init() else { return nil }
        self.handle = handle
        self.configuration = configuration
        self.connectTo = connectTo
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(handle)
        errorText.deallocate()
    }

    /// Returns the object of a handle.
    static func of(_ handle: UnsafeMutableRawPointer) -> CurlEasy? {
        var pointer: UnsafeMutableRawPointer?
        guard ccurl_get_private(handle, &pointer) == CURLE_OK, let pointer else { return nil }
        return Unmanaged<CurlEasy>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Prepares the handle for a transfer.
    func prepare(_ transfer: Transfer) throws(FetchError.Cause) {
        reception = Reception(
            maxBytes: transfer.request.maxBytes, keepsErrors: transfer.acceptsCompression,
            hold: transfer.room?.hold, isHead: transfer.request.method == .head)
        target = transfer.target
        // With a proxy the callbacks see only its address, which the operator has chosen.
        addresses = configuration.proxy == nil ? transfer.addresses : nil
        refusal = nil
        openedSocket = false
        errorText.pointee = 0
        // Shared options stay set, which saves two microseconds per transfer. `setRequest` sets
        // every other option. Only a reset removes a body or a method.
        if !isPrepared {
            curl_easy_reset(handle)
            try setShared()
            try setCallbacks()
        }
        isPrepared = false
        try setRequest(transfer)
        isPrepared = transfer.request.method == .get
    }

    private func setCallbacks() throws(FetchError.Cause) {
        let me = Unmanaged.passUnretained(self).toOpaque()
        try set(CURLOPT_PRIVATE, me)
        try set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(errorText))
        try set(CURLOPT_WRITEDATA, me)
        try set(CURLOPT_HEADERDATA, me)
        try set(CURLOPT_OPENSOCKETDATA, me)
        try set(CURLOPT_PREREQDATA, me)
        try check(ccurl_set_write(handle, CURLOPT_WRITEFUNCTION, Self.writeCallback))
        try check(ccurl_set_write(handle, CURLOPT_HEADERFUNCTION, Self.headerCallback))
        try check(ccurl_set_open_socket(handle, Self.openSocketCallback))
        try check(ccurl_set_prerequest(handle, Self.prerequestCallback))
    }

    private func setRequest(_ transfer: Transfer) throws(FetchError.Cause) {
        try set(CURLOPT_URL, transfer.target.url)
        try set(CURLOPT_TIMEOUT_MS, max(1, transfer.timeout.milliseconds))
        try set(CURLOPT_FRESH_CONNECT, transfer.needsNewConnection ? 1 : 0)
        let secure = transfer.target.scheme == .https
        try set(
            CURLOPT_HTTP_VERSION,
            secure ? Int(CURL_HTTP_VERSION_2TLS) : Int(CURL_HTTP_VERSION_1_1))
        // Waiting for a connection that can't be shared would only delay the request.
        try set(CURLOPT_PIPEWAIT, secure ? 1 : 0)
        var lines = transfer.headers
        // An original should arrive as it is stored, so that it is asked for without this field. libcurl would
        // refuse every name that it doesn't know as a coding; `BodyInflater` decompresses instead.
        if transfer.acceptsCompression { lines.append(Array("Accept-Encoding: gzip".utf8)) }
        let method = transfer.request.method
        switch method {
        case .get, .post: break
        case .head: try set(CURLOPT_NOBODY, 1)
        case .put, .delete, .purge, .ban: try set(CURLOPT_CUSTOMREQUEST, method.rawValue)
        }
        if method.hasBody {
            // A PUT is sent like a POST under another name, so that libcurl itself can send the
            // body again when a kept connection turns out to be closed.
            let body = transfer.request.body ?? []
            try check(
                ccurl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
            // An empty array has no address, and libcurl would read from a callback instead.
            let code = (body.isEmpty ? [0] : body).withUnsafeBytes {
                ccurl_set_pointer(
                    handle, CURLOPT_COPYPOSTFIELDS,
                    UnsafeMutableRawPointer(mutating: $0.baseAddress))
            }
            try check(code)
            // libcurl would wait a second for a "100 Continue" before a larger body.
            lines.append(Array("Expect:".utf8))
        }
        guard let list = StringList(lines) else {
            throw .configuration(reason: "no memory for request headers")
        }
        try check(ccurl_set_list(handle, CURLOPT_HTTPHEADER, list.head))
        headers = list
    }

    /// Sets the options that every transfer of a fetcher shares.
    private func setShared() throws(FetchError.Cause) {
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        try set(CURLOPT_USERAGENT, configuration.userAgent)
        try set(CURLOPT_CONNECTTIMEOUT_MS, max(1, configuration.connectTimeout.milliseconds))
        try set(CURLOPT_LOW_SPEED_LIMIT, configuration.lowSpeedLimit)
        try set(
            CURLOPT_LOW_SPEED_TIME, max(1, (configuration.lowSpeedTime.milliseconds + 999) / 1_000))
        // Without it, a transfer that ends while its name is resolved blocks the loop until the
        // resolver's thread returns. With it, that thread cleans up by itself.
        try set(CURLOPT_QUICK_EXIT, 1)
        // A poster of 130 KB takes one or two reads instead of eight.
        try set(CURLOPT_BUFFERSIZE, 128 << 10)
        // Common servers close idle connections after 60 s. This avoids reuse at that moment.
        try set(CURLOPT_MAXAGE_CONN, 55)
        // Addresses and certificates are checked when a connection opens, so no connection lives
        // forever.
        try set(CURLOPT_MAXLIFETIME_CONN, 3_600)
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try set(CURLOPT_PROXY_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let file = configuration.caFile {
            try set(CURLOPT_CAINFO, file)
            try set(CURLOPT_PROXY_CAINFO, file)
        }
        if configuration.caFile != nil || CurlLibrary.hasBundle {
            try set(CURLOPT_CAPATH, nil)
        }
        // Set to "" and not to nil, so that libcurl ignores `http_proxy` and similar variables.
        try set(CURLOPT_PROXY, configuration.proxy ?? "")
        try set(CURLOPT_NOPROXY, configuration.proxy == nil ? "*" : "")
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        try check(ccurl_set_list(handle, CURLOPT_CONNECT_TO, connectTo.head))
    }

    private func set(_ option: CURLoption, _ value: Int) throws(FetchError.Cause) {
        try check(ccurl_set_long(handle, option, value))
    }

    private func set(_ option: CURLoption, _ value: String?) throws(FetchError.Cause) {
        try check(ccurl_set_string(handle, option, value))
    }

    private func set(
        _ option: CURLoption, _ value: UnsafeMutableRawPointer
    ) throws(FetchError.Cause) {
        try check(ccurl_set_pointer(handle, option, value))
    }

    /// Throws if libcurl rejected an option: a mistake of ours, or a libcurl without that option.
    private func check(_ code: CURLcode) throws(FetchError.Cause) {
        guard code == CURLE_OK else {
            throw .configuration(
                reason: "libcurl refused an option (\(String(cString: curl_easy_strerror(code))))")
        }
    }
}

// Called by libcurl, inside `curl_multi_perform`. None may call into the multi handle.
extension CurlEasy {
    /// Opens a socket for an address; returns nil if the address is not allowed.
    private func openSocket(_ address: UnsafePointer<curl_sockaddr>) -> Int32? {
        let raw = UnsafeRawPointer(address).advanced(by: Self.addressOffset)
        guard mayReach(IPAddress(raw.assumingMemoryBound(to: sockaddr.self))) else { return nil }
        let made = socket(
            address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
            address.pointee.protocol)
        guard made >= 0 else { return nil }
        openedSocket = true
        return made
    }

    /// Called before each request, also on a reused connection.
    private func mayRequest(from peer: UnsafePointer<CChar>?) -> Bool {
        let text = peer.map { String(cString: $0) } ?? ""
        return mayReach(IPAddress(String(text.prefix { $0 != "%" })))
    }

    private static let addressOffset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0

    private func mayReach(_ address: IPAddress?) -> Bool {
        guard let addresses else { return true }
        guard let address, let target else { return false }
        guard let reason = addresses.refusal(of: address, isPlain: target.scheme == .http)
        else { return true }
        refusal = .addressRefused(
            host: target.host, address: address.description, reason: reason)
        return false
    }
}

extension CurlEasy {
    /// Returns the result of the transfer. Call it after the handle was removed from the multi
    /// handle.
    func conclude(_ code: CURLcode) -> TransferResult {
        defer {
            reception = Reception(maxBytes: 0)
        }
        let seconds = offset(CURLINFO_RETRY_AFTER)
        return TransferResult(
            outcome: outcome(code),
            // 0 means absent or unreadable. A date in the past is negative.
            retryAfter: seconds > 0 ? .seconds(seconds) : nil, timings: timings(),
            hasResponse: reception.status > 0)
    }

    private func outcome(_ code: CURLcode) -> TransferResult.Outcome {
        switch reception.stop {
        case .failed(let cause): return .failure(cause)
        case .enough: return .response(response())
        case .lacking(let bytes): return .lacking(bytes)
        case nil: break
        }
        if code == CURLE_OK {
            return reception.lack.map { .failure(.truncated(reason: $0)) } ?? .response(response())
        }
        // A refused address counts only if no other address of the host was tried.
        if let refusal, !openedSocket || code == CURLE_ABORTED_BY_CALLBACK {
            return .failure(refusal)
        }
        return .failure(
            FetchError.Cause(
                code, text: words(for: code), connected: offset(CURLINFO_PRETRANSFER_TIME_T) > 0,
                proxyStatus: long(CURLINFO_HTTP_CONNECTCODE)))
    }

    private func response() -> FetchResponse {
        reception.settle()
        return FetchResponse(
            status: reception.status, headers: reception.fields, body: reception.body,
            received: reception.received, url: target?.url ?? "", attempts: [],
            timings: FetchTimings())
    }

    private func timings() -> FetchTimings {
        var timings = FetchTimings()
        timings.startTransfer = .microseconds(offset(CURLINFO_STARTTRANSFER_TIME_T))
        timings.total = .microseconds(offset(CURLINFO_TOTAL_TIME_T))
        timings.reusedConnection = long(CURLINFO_NUM_CONNECTS) == 0
        switch long(CURLINFO_HTTP_VERSION) {
        case Int(CURL_HTTP_VERSION_1_0): timings.httpVersion = "1.0"
        case Int(CURL_HTTP_VERSION_1_1): timings.httpVersion = "1.1"
        case Int(CURL_HTTP_VERSION_2_0): timings.httpVersion = "2"
        default: break
        }
        return timings
    }

    /// Returns libcurl's message, made safe for a log line.
    private func words(for code: CURLcode) -> String {
        var text = String(cString: errorText)
        if text.isEmpty { text = String(cString: curl_easy_strerror(code)) }
        text = String(text.prefix(160).filter { !$0.isNewline && $0 != "\0" })
        if text.hasSuffix(".") { text.removeLast() }
        return CurlLibrary.phrase(text)
    }

    private func long(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_get_long(handle, info, &value) == CURLE_OK ? value : 0
    }

    private func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        return ccurl_get_offset(handle, info, &value) == CURLE_OK ? Int64(value) : 0
    }
}

// C function pointers for libcurl. Each finds its object, which outlives the handle's stay in the multi
// handle. Each passes borrowed memory on, which is valid during the call only.
extension CurlEasy {
    private static let writeCallback: curl_write_callback = { bytes, size, count, context in
        CurlEasy.pass(bytes, size * count, context) { $0.reception.takeBody($1) }
    }

    private static let headerCallback: curl_write_callback = { bytes, size, count, context in
        CurlEasy.pass(bytes, size * count, context) { $0.reception.takeLine($1) }
    }

    private static let openSocketCallback: curl_opensocket_callback = { context, _, address in
        guard let easy = CurlEasy.object(context), let address else { return CURL_SOCKET_BAD }
        return easy.openSocket(address) ?? CURL_SOCKET_BAD
    }

    private static let prerequestCallback: curl_prereq_callback = { context, peer, _, _, _ in
        guard let easy = CurlEasy.object(context) else { return CURL_PREREQFUNC_ABORT }
        return easy.mayRequest(from: peer) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

    private static func object(_ context: UnsafeMutableRawPointer?) -> CurlEasy? {
        context.map { Unmanaged<CurlEasy>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Returns the number of bytes that were taken. libcurl ends the transfer if they are not all.
    private static func pass(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
        _ take: (CurlEasy, UnsafeBufferPointer<UInt8>) -> Bool
    ) -> Int {
        guard let easy = object(context) else { return 0 }
        guard let bytes, count > 0 else { return count }
        let taken = bytes.withMemoryRebound(to: UInt8.self, capacity: count) {
            take(easy, UnsafeBufferPointer(start: $0, count: count))
        }
        return taken ? count : 0
    }
}

extension IPAddress {
    /// Reads the address of an `AF_INET` or `AF_INET6` socket address; `nil` for any other family.
    fileprivate init?(_ raw: UnsafePointer<sockaddr>) {
        switch Int32(raw.pointee.sa_family) {
        case AF_INET:
            self = raw.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                IPAddress($0.pointee.sin_addr)
            }
        case AF_INET6:
            self = raw.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                IPAddress($0.pointee.sin6_addr)
            }
        default: return nil
        }
    }
}
