import CCurl
import Glibc

/// What libcurl needs once per process.
enum CurlLibrary {
    /// `nil` where libcurl is ready, else why it is not. Runs on first use, once.
    static let problem: String? = {
        // TLS libraries write to sockets without MSG_NOSIGNAL: a closed connection must be an
        // error code, not the end of the process.
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

    /// Whether libcurl's built-in bundle of authorities is there. libcurl keeps parsed authorities
    /// between connections only if they come from one file and no directory is set; parsing 140 of
    /// them anew costs each connection more than its handshake.
    static let hasBundle: Bool = {
        guard let info = ccurl_version(), let path = info.pointee.cainfo
        else { return false }
        return access(path, R_OK) == 0
    }()
}
