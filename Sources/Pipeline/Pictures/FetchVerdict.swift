import Catalog
import Fetch

/// What an origin's response to a request for an original means. Pure.
enum FetchVerdict: Equatable {
    case picture
    case notModified
    case failed(Failure.Kind)

    init(_ response: FetchResponse) {
        if response.hasWholeBody {
            self = .picture
            return
        }
        switch response.status {
        case 304: self = .notModified
        case 404, 410: self = .failed(.absent)
        // Other 2xx responses have no complete body.
        case 200..<300: self = .failed(.rejected)
        case 408, 504: self = .failed(.timedOut)
        default: self = .failed(.unavailable)
        }
    }

    /// Returns the kind of failure; `nil` if the fetch was canceled.
    static func kind(of error: FetchError) -> Failure.Kind? {
        switch error.cause {
        case .canceled, .stopped: nil
        case .invalidURL, .hostNotAllowed, .addressRefused: .refused
        case .tooLarge: .rejected
        case .timedOut: .timedOut
        case .tooManyRedirects, .redirectRefused, .resolveFailed, .connectFailed, .resting,
            .held, .tlsFailed, .notTrusted, .truncated, .protocolError, .configuration:
            .unavailable
        }
    }

    /// Returns whether the same request may soon be allowed. A name may resolve to a wrong address
    /// while a network has a fault; a literal address doesn't change.
    static func isMomentaryRefusal(_ error: FetchError) -> Bool {
        guard case .addressRefused(let host, let address, _) = error.cause else { return false }
        let lastLabel = host.split(separator: ".").last ?? ""
        return host != address && !host.contains(":") && !lastLabel.allSatisfy(\.isNumber)
    }

    /// Returns why the fetch failed, as a sentence that names the setting if one is the reason.
    static func reason(_ error: FetchError) -> String {
        if case .tooLarge(let limit) = error.cause { tooLarge(limit) } else { "\(error)" }
    }

    static func tooLarge(_ limit: Int) -> String {
        "The original is larger than \(limit) bytes (imaging.maxBytes)."
    }

    /// Returns a note for the trace, such as `200 after 3 attempts` or `404`.
    static func note(_ response: FetchResponse) -> String {
        let attempts = response.attempts.count
        return attempts > 1 ? "\(response.status) after \(attempts) attempts" : "\(response.status)"
    }
}
