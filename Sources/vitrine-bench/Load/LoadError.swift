import Glibc
import Memory

/// Why load could not be made at all. Bad responses are counted instead.
enum LoadError: Error, Equatable, CustomStringConvertible {
    case stopped
    /// The process may not open so many files.
    case tooManyFiles(limit: Int)
    /// All ports of this machine are taken by connections that ended a moment ago.
    case noPorts
    /// No request was answered well for a long time; the sentence is about the first.
    case unanswered(String)
    case system(call: String, code: CInt)

    init(_ code: CInt, doing call: String) {
        self =
            switch code {
            case EMFILE, ENFILE: .tooManyFiles(limit: OpenFileLimit.current)
            case EADDRNOTAVAIL: .noPorts
            default: .system(call: call, code: code)
            }
    }

    var description: String {
        switch self {
        case .stopped: "The load was stopped."
        case .tooManyFiles(let limit):
            "This process may have \(limit) files open, which is too few for its connections. "
                + "Raise the limit with: ulimit -n \(max(4_096, limit * 2))"
        case .noPorts:
            "All local ports are taken by connections that ended a moment ago. Try again in a "
                + "minute, or with fewer rounds."
        case .unanswered(let sentence): "The server answers no request. \(sentence)"
        case .system(let call, let code):
            "\(call) failed: \(strerror(code).map { String(cString: $0) } ?? "\(code)")."
        }
    }
}
