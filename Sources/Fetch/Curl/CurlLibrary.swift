import CCurl
import Glibc

/// The library as a whole: its initialization, once per process, and its words.
enum CurlLibrary {
    /// Why libcurl can't be used, or `nil` if it is ready. Initializes libcurl on first use.
    static let problem: String? = {
        // TLS libraries write to sockets without MSG_NOSIGNAL. A closed connection must be an error
        // code and not end the process.
        signal(SIGPIPE, SIG_IGN)
        let code = curl_global_init(Int(CURL_GLOBAL_SSL))
        guard code == CURLE_OK else { return String(cString: curl_easy_strerror(code)) }
        guard let info = ccurl_version() else { return "no version" }
        let features = info.pointee.features
        guard features & CURL_VERSION_SSL != 0 else { return "libcurl was built without TLS" }
        guard features & CURL_VERSION_ASYNCHDNS != 0 else {
            return "libcurl was built without asynchronous name resolution"
        }
        return nil
    }()

    /// The version that is loaded, such as 7.88.1.
    static var version: String {
        ccurl_version().map { String(cString: $0.pointee.version) } ?? "unknown"
    }

    /// Whether libcurl's built-in CA bundle exists.
    ///
    /// libcurl keeps parsed authorities between connections only if they come from one file and no
    /// directory is set. Parsing 140 of them again costs each connection more than its handshake.
    static let hasBundle: Bool = {
        guard let info = ccurl_version(), let path = info.pointee.cainfo
        else { return false }
        return access(path, R_OK) == 0
    }()

    /// Returns libcurl's sentence as the end of one of ours. An abbreviation keeps its capitals. The
    /// time of an attempt is left out, so that equal failures have equal sentences and are counted
    /// as one.
    static func phrase(_ text: String) -> String {
        let text = text.replacing(#/ after [0-9]+ ms\b/#, with: "", maxReplacements: 1)
        if text.dropFirst().first?.isUppercase == true { return text }
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}

extension FetchError.Cause {
    /// What a result code of a transfer means for us.
    ///
    /// - Parameters:
    ///   - text: libcurl's description of this failure.
    ///   - connected: whether a connection was established, including its handshake.
    ///   - proxyStatus: the status with which a proxy refused to open a tunnel; 0 for none.
    init(_ code: CURLcode, text: String, connected: Bool, proxyStatus: Int) {
        self =
            switch code {
            case CURLE_COULDNT_RESOLVE_HOST: .resolveFailed
            case CURLE_COULDNT_RESOLVE_PROXY:
                .connectFailed(reason: "the name of the proxy could not be resolved")
            case CURLE_PROXY: .connectFailed(reason: "the proxy failed (\(text))")
            case CURLE_RECV_ERROR where proxyStatus >= 300:
                .connectFailed(reason: "the proxy answered \(proxyStatus)")
            case CURLE_COULDNT_CONNECT: .connectFailed(reason: text)
            case CURLE_OPERATION_TIMEDOUT: .timedOut(connected: connected)
            case CURLE_SSL_CONNECT_ERROR: .tlsFailed(reason: text)
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR,
                CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CERTPROBLEM:
                .notTrusted(reason: text)
            case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND,
                CURLE_SSL_ENGINE_SETFAILED, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_NOT_BUILT_IN:
                .configuration(reason: text)
            case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR,
                CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_OUT_OF_MEMORY:
                .truncated(reason: text)
            case CURLE_UNSUPPORTED_PROTOCOL: .protocolError(reason: "it is not HTTP")
            default: .protocolError(reason: text)
            }
    }
}

/// Owns a `curl_slist`. libcurl keeps its address, so it must outlive each transfer that uses it.
final class StringList {
    private(set) var head: UnsafeMutablePointer<curl_slist>?

    /// Returns `nil` if memory runs out.
    ///
    /// - Parameter lines: without NUL.
    init?(_ lines: [[UInt8]]) {
        for line in lines {
            let text = line.map { CChar(bitPattern: $0) } + [0]
            guard let longer = curl_slist_append(head, text) else { return nil }
            head = longer
        }
    }

    deinit {
        curl_slist_free_all(head)
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
