import Glibc

/// Why the server can't serve.
package enum ServingFailure: Error, CustomStringConvertible {
    /// A listening socket can't be opened. The code is a value of `errno`.
    case socket(CInt, ListenAddress)
    /// A thread that accepts connections has failed.
    case thread(cause: String)

    package var description: String {
        switch self {
        case .socket(let code, let address):
            "Listening on \(address) failed: \(String(cString: strerror(code)))."
        case .thread(let cause):
            "A thread that accepts connections has failed (\(cause)). The service ends; start it again."
        }
    }
}
