import CCurl
import Glibc

/// libcurl's URL parser. The checks must read a URL exactly as the transfer will.
enum CurlURL {
    /// Returns the parts of a URL, which is absolute or relative to `base`.
    ///
    /// - Throws: ``FetchError/Cause/invalidURL(reason:)`` if libcurl rejects the URL.
    static func parts(
        of url: String, relativeTo base: String? = nil
    ) throws(FetchError.Cause) -> Target.Parts {
        guard let handle = curl_url() else { throw .invalidURL(reason: "no memory to parse it") }
        defer { curl_url_cleanup(handle) }
        if let base { try set(CURLUPART_URL, base, in: handle) }
        // A Location may hold blanks and raw UTF-8, which browsers accept. A configured URL may
        // not.
        let blanks = base == nil ? 0 : UInt32(CURLU_ALLOW_SPACE)
        try set(CURLUPART_URL, url, UInt32(CURLU_URLENCODE) | blanks, in: handle)
        try set(CURLUPART_FRAGMENT, nil, in: handle)
        try useASCIIHost(in: handle)
        return Target.Parts(
            url: try whole(handle),
            scheme: get(CURLUPART_SCHEME, in: handle) ?? "",
            hasUserInfo: get(CURLUPART_USER, in: handle) != nil
                || get(CURLUPART_PASSWORD, in: handle) != nil,
            host: get(CURLUPART_HOST, in: handle) ?? "",
            hasZone: get(CURLUPART_ZONEID, in: handle) != nil,
            port: get(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT), in: handle).flatMap { Int($0) }
                ?? 0)
    }

    /// Replaces an internationalized host name by its ASCII form, before it is compared.
    private static func useASCIIHost(in handle: OpaquePointer) throws(FetchError.Cause) {
        guard let host = get(CURLUPART_HOST, in: handle), !host.utf8.allSatisfy({ $0 < 0x80 })
        else { return }
        // libcurl reads the name in the charset of the thread's locale, which is C in a server.
        let unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)
        let before = unicode.map { uselocale($0) }
        let name = get(CURLUPART_HOST, UInt32(CURLU_PUNYCODE), in: handle)
        if let before { uselocale(before) }
        if let unicode { freelocale(unicode) }
        guard let name, name.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw .invalidURL(reason: "its host name has no ASCII form")
        }
        try set(CURLUPART_HOST, name, in: handle)
        // libcurl normalizes only a whole URL, and the ASCII form may be a number.
        try set(CURLUPART_URL, whole(handle), in: handle)
    }

    private static func whole(_ handle: OpaquePointer) throws(FetchError.Cause) -> String {
        guard let whole = get(CURLUPART_URL, in: handle) else {
            throw .invalidURL(reason: "it can't be put together again")
        }
        return whole
    }

    private static func set(
        _ part: CURLUPart, _ value: String?, _ flags: UInt32 = 0, in handle: OpaquePointer
    ) throws(FetchError.Cause) {
        if let value, value.utf8.contains(0) {
            throw .invalidURL(reason: "it holds a NUL character")
        }
        let code = curl_url_set(handle, part, value, flags)
        guard code == CURLUE_OK else {
            throw .invalidURL(reason: phrase(curl_url_strerror(code)))
        }
    }

    private static func get(
        _ part: CURLUPart, _ flags: UInt32 = 0, in handle: OpaquePointer
    ) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    /// Returns libcurl's sentence as the end of one of ours.
    private static func phrase(_ text: UnsafePointer<CChar>?) -> String {
        text.map { CurlLibrary.phrase(String(cString: $0)) } ?? "libcurl refuses it"
    }
}
