import CCurl

/// A result code of a transfer, and its meaning for us.
struct CurlCode {
    let code: CURLcode

    init(_ code: CURLcode) {
        self.code = code
    }

    /// Throws if libcurl rejected an option: a mistake of ours, or a libcurl without that option.
    static func check(_ code: CURLcode) throws(TransferFailure) {
        guard code == CURLE_OK else {
            throw .configuration(
                reason: "libcurl refused an option (\(String(cString: curl_easy_strerror(code))))")
        }
    }

    /// Returns libcurl's sentence as the end of one of ours. An abbreviation keeps its capitals. The
    /// time of an attempt is left out, so that equal failures have equal sentences and are counted
    /// as one.
    static func phrase(_ text: String) -> String {
        let text = text.replacing(#/ after [0-9]+ ms\b/#, with: "", maxReplacements: 1)
        if text.dropFirst().first?.isUppercase == true { return text }
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    /// Returns the failure that this code stands for.
    ///
    /// - Parameters:
    ///   - text: libcurl's description of this failure.
    ///   - connected: whether a connection was established, including its handshake.
    ///   - proxyStatus: the status with which a proxy refused to open a tunnel; 0 for none.
    func failure(text: String, connected: Bool, proxyStatus: Int) -> TransferFailure {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: .resolve
        case CURLE_COULDNT_RESOLVE_PROXY:
            .connect(reason: "the name of the proxy could not be resolved")
        case CURLE_PROXY: .connect(reason: "the proxy failed (\(text))")
        case CURLE_RECV_ERROR where proxyStatus >= 300:
            .connect(reason: "the proxy answered \(proxyStatus)")
        case CURLE_COULDNT_CONNECT: .connect(reason: text)
        case CURLE_OPERATION_TIMEDOUT: .timeout(connected ? .answering : .connecting)
        case CURLE_SSL_CONNECT_ERROR: .handshake(reason: text)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CERTPROBLEM:
            .certificate(reason: text)
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND,
            CURLE_SSL_ENGINE_SETFAILED, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_NOT_BUILT_IN:
            .configuration(reason: text)
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR,
            CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_OUT_OF_MEMORY:
            .truncated(reason: text)
        case CURLE_UNSUPPORTED_PROTOCOL: .malformed(reason: "it is not HTTP")
        default: .malformed(reason: text)
        }
    }
}
