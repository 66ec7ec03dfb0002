import CCurl

/// libcurl's URL parser: what is checked must be read as the transfer will read it.
enum CurlURL {
    /// Takes an absolute URL, or one relative to `base`, apart.
    ///
    /// Throws ``FetchError/invalidURL(reason:)`` where libcurl doesn't take it.
    static func parts(
        of url: String, relativeTo base: String? = nil
    ) throws(FetchError) -> Target.Parts {
        guard let handle = curl_url() else { throw .invalidURL(reason: "no memory to parse it") }
        defer { curl_url_cleanup(handle) }
        if let base { try set(CURLUPART_URL, base, 0, in: handle) }
        // A Location may hold blanks and raw UTF-8, and browsers take it; a configured URL may not.
        let blanks = base == nil ? 0 : UInt32(CURLU_ALLOW_SPACE)
        try set(CURLUPART_URL, url, UInt32(CURLU_URLENCODE) | blanks, in: handle)
        try set(CURLUPART_FRAGMENT, nil, 0, in: handle)

        let host = get(CURLUPART_HOST, 0, in: handle) ?? ""
        if let name = get(CURLUPART_HOST, UInt32(CURLU_PUNYCODE), in: handle), name != host {
            // Only a whole URL is normalised: an ASCII form may turn out to be a number.
            try set(CURLUPART_HOST, name, 0, in: handle)
            let ascii = get(CURLUPART_URL, 0, in: handle) ?? ""
            try set(CURLUPART_URL, ascii, 0, in: handle)
        }
        guard let whole = get(CURLUPART_URL, 0, in: handle) else {
            throw .invalidURL(reason: "it can't be put together again")
        }
        return Target.Parts(
            url: whole,
            scheme: get(CURLUPART_SCHEME, 0, in: handle) ?? "",
            hasUserInfo: get(CURLUPART_USER, 0, in: handle) != nil
                || get(CURLUPART_PASSWORD, 0, in: handle) != nil,
            host: get(CURLUPART_HOST, 0, in: handle) ?? "",
            hasZone: get(CURLUPART_ZONEID, 0, in: handle) != nil,
            port: get(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT), in: handle).flatMap { Int($0) }
                ?? 0)
    }

    private static func set(
        _ part: CURLUPart, _ value: String?, _ flags: UInt32, in handle: OpaquePointer
    ) throws(FetchError) {
        if let value, value.utf8.contains(0) {
            throw .invalidURL(reason: "it holds a NUL character")
        }
        let code = curl_url_set(handle, part, value, flags)
        guard code == CURLUE_OK else {
            throw .invalidURL(reason: phrase(curl_url_strerror(code)))
        }
    }

    private static func get(
        _ part: CURLUPart, _ flags: UInt32, in handle: OpaquePointer
    ) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    /// libcurl's sentence as the end of one of ours.
    private static func phrase(_ text: UnsafePointer<CChar>?) -> String {
        guard let text else { return "libcurl refuses it" }
        let sentence = String(cString: text)
        return sentence.prefix(1).lowercased() + sentence.dropFirst()
    }
}
