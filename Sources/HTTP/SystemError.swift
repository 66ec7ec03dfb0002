import Glibc

/// A system call that failed.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    package let call: String
    /// The value of `errno`.
    package let code: CInt

    package init(_ call: String, _ code: CInt) {
        self.call = call
        self.code = code
    }

    package var description: String {
        let text = strerror(code).map { String(cString: $0) } ?? "unknown"
        return "\(call): \(text) (errno \(code))"
    }
}
