import CCurl

/// Owns a `curl_slist`. libcurl keeps its address, so it must outlive each transfer that uses it.
final class StringList {
    private(set) var head: UnsafeMutablePointer<curl_slist>?

    /// Returns `nil` if memory runs out.
    init?(_ strings: [String]) {
        for string in strings {
            guard let longer = curl_slist_append(head, string) else { return nil }
            head = longer
        }
    }

    deinit {
        curl_slist_free_all(head)
    }
}
