import Glibc

/// The error number of a system call, until a caller who knows what it was for names the situation.
struct Errno: Error, Equatable {
    let code: Int32

    init(_ code: Int32) { self.code = code }

    /// What `strerror` says, which in glibc is safe to ask on any thread.
    var reason: String { String(cString: strerror(code)) }

    /// No space or no quota.
    var isFullDisk: Bool { code == ENOSPC || code == EDQUOT }

    /// The filesystem knows no advisory locks.
    var isMissingLocks: Bool { code == ENOLCK || code == EOPNOTSUPP || code == ENOSYS }

    /// The result of a call that says -1 for failure, called again when a signal interrupted it.
    @discardableResult
    static func check<Result: SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
        while true {
            let result = call()
            if result != -1 { return result }
            let code = errno
            if code != EINTR { throw Errno(code) }
        }
    }
}
