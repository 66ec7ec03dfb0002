import Glibc

/// The error number of a system call. The caller turns it into a ``StoreError`` with path and
/// operation.
struct Errno: Error, Equatable {
    let code: Int32

    init(_ code: Int32) { self.code = code }

    /// The text of `strerror`, which is thread-safe in glibc.
    var reason: String { String(cString: strerror(code)) }

    /// Whether the disk or the quota is full.
    var isFullDisk: Bool { code == ENOSPC || code == EDQUOT }

    /// Whether the filesystem has no advisory locks.
    var isMissingLocks: Bool { code == ENOLCK || code == EOPNOTSUPP || code == ENOSYS }

    /// Returns the result of a call that returns -1 on failure. Repeats it after an interruption by
    /// a signal.
    @discardableResult
    static func check<Result: SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
        while true {
            let result = call()
            if result != -1 { return result }
            let code = errno
            if code != EINTR { throw Errno(code) }
        }
    }

    /// Calls on a file. Returns false if the file is missing.
    @discardableResult
    static func unlessMissing(_ call: () -> Int32) throws(Errno) -> Bool {
        do throws(Errno) {
            try check(call)
            return true
        } catch {
            if error.code == ENOENT { return false }
            throw error
        }
    }

    /// Returns nil if the call fails.
    static func optional<Value: ~Copyable>(_ call: () throws(Errno) -> Value) -> Value? {
        do throws(Errno) {
            return try call()
        } catch {
            return nil
        }
    }
}
