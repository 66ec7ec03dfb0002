/// Why the demo's origin can't start.
package enum DemoOriginError: Error, Equatable, CustomStringConvertible {
    case certificate(reason: String)
    case listening(port: Int, reason: String)
    /// It runs, or it ran before: an origin starts once.
    case startedBefore
    case pictures(reason: String)
    case log(path: String, reason: String)

    package var description: String {
        switch self {
        case .certificate(let reason):
            "The demo origin's certificate could not be made: \(reason)."
        case .listening(let port, let reason):
            "The demo origin can't listen on 127.0.0.1 port \(port): \(reason)."
        case .startedBefore:
            "The demo origin was started before."
        case .pictures(let reason):
            "The pictures can't be read: \(reason)."
        case .log(let path, let reason):
            "The log \(path) can't be written: \(reason)."
        }
    }
}
