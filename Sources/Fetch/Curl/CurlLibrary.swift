import CCurl
import Glibc

/// Initializes libcurl once per process.
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

    /// Whether libcurl's built-in CA bundle exists.
    ///
    /// libcurl keeps parsed authorities between connections only if they come from one file and no
    /// directory is set. Parsing 140 of them again costs each connection more than its handshake.
    static let hasBundle: Bool = {
        guard let info = ccurl_version(), let path = info.pointee.cainfo
        else { return false }
        return access(path, R_OK) == 0
    }()
}

extension Fetcher {
    /// The version of the libcurl that is loaded, such as 7.88.1.
    package static var libraryVersion: String {
        ccurl_version().map { String(cString: $0.pointee.version) } ?? "unknown"
    }
}
