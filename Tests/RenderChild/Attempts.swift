import CSandbox
import Glibc

/// What a program that a picture has taken over would try, after it gave up its rights.
enum Attempts {
    /// The names of what could be done all the same, separated by spaces; then what the kernel took
    /// part in.
    static func made() -> String {
        let readable = strdup("/etc/fonts")
        let parts = sandbox_confine([UnsafePointer(readable), nil])
        var done = attempts.filter { $0.1() }.map(\.0)
        done.append("parts:\(parts)")
        return done.joined(separator: " ")
    }

    private static let attempts: [(String, @Sendable () -> Bool)] = [
        ("read", { open("/etc/passwd", O_RDONLY) >= 0 }),
        ("write", { open("/tmp/vitrine-was-here", O_CREAT | O_WRONLY, 0o600) >= 0 }),
        ("list", { opendir("/") != nil }),
        ("remove", { unlink("/tmp/vitrine-was-here") == 0 }),
        ("directory", { mkdir("/tmp/vitrine-was-here", 0o700) == 0 }),
        ("socket", { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) >= 0 }),
        ("local socket", { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) >= 0 }),
        ("signal", { kill(getppid(), 0) == 0 }),
        ("fork", { forked() }),
        ("execute", { executed() }),
    ]

    private static func forked() -> Bool {
        var child: pid_t = 0
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        return posix_spawn(&child, "/bin/true", nil, nil, &words, nil) == 0
    }

    private static func executed() -> Bool {
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        return execv("/bin/true", &words) == 0
    }
}
