import Catalog
import Fetch

/// What an origin's answer for an original means. Pure.
enum FetchVerdict: Equatable {
    case picture
    case notModified
    case failed(Failure.Kind)

    init(status: Int) {
        switch status {
        case 200, 203: self = .picture
        case 304: self = .notModified
        case 404, 410: self = .failed(.absent)
        // Other 2xx have no whole body to show.
        case 200..<300: self = .failed(.rejected)
        case 504: self = .failed(.timedOut)
        default: self = .failed(.unavailable)
        }
    }

    /// `nil` where nobody waits for the answer any more.
    static func kind(of error: FetchError) -> Failure.Kind? {
        switch error {
        case .cancelled, .stopped: nil
        case .invalidURL, .hostNotAllowed, .addressRefused: .refused
        case .tooLarge: .rejected
        case .timedOut: .timedOut
        case .tooManyRedirects, .resolveFailed, .connectFailed, .tlsFailed, .truncated,
            .protocolError, .configuration:
            .unavailable
        }
    }

    /// Whether the same request may be allowed in a moment: a name can lead to a wrong address for as
    /// long as a network is out of order, and a number can't.
    static func isMomentaryRefusal(_ error: FetchError) -> Bool {
        guard case .addressRefused(let host, let address, _) = error else { return false }
        let lastLabel = host.split(separator: ".").last ?? ""
        return host != address && !host.contains(":") && !lastLabel.allSatisfy(\.isNumber)
    }

    /// Why there is no original, as a sentence that names the setting where there is one.
    static func reason(_ error: FetchError) -> String {
        guard case .tooLarge(let limit) = error else { return "\(error)" }
        return "The original is larger than \(limit) bytes (imaging.maxBytes)."
    }

    /// `200 after 3 attempts`, `404`.
    static func note(_ response: FetchResponse) -> String {
        let attempts = response.attempts.count
        return attempts > 1 ? "\(response.status) after \(attempts) attempts" : "\(response.status)"
    }
}
