package import Foundation
import Glibc
import Synchronization

/// A program in its own process, which ends with the value at the latest.
///
/// Of descriptors it gets standard input, output and error only. Foundation's `Process` leaves it a
/// copy of what other tests open at the same moment, so that a connection or a port that they close
/// stays open.
package final class ChildProgram: Sendable {
    private struct State {
        var status: Int32?
        var waiters: [CheckedContinuation<Int32, Never>] = []
    }

    /// Shared with the thread that waits for the end.
    private final class Ending: Sendable {
        let state = Mutex(State())
    }

    package let identifier: pid_t
    private let ending = Ending()

    package struct Failure: Error {
        var program: String
        var code: Int32
    }

    /// - Parameters:
    ///   - directory: its working directory; nil for this process's.
    ///   - environment: its whole environment; nil for this process's.
    ///   - input: the caller closes it, like the others; nil for an empty one.
    package init(
        _ program: String, _ arguments: [String], directory: String? = nil,
        environment: [String: String]? = nil, input: FileHandle? = nil,
        output: FileHandle? = nil, error: FileHandle? = nil
    ) throws {
        identifier = try withExtendedLifetime((input, output, error)) {
            try Self.spawn(
                program, arguments, directory: directory,
                environment: environment ?? ProcessInfo.processInfo.environment,
                given: [input, output, error].map { $0?.fileDescriptor })
        }
        Thread.detachNewThread { [ending, identifier] in Self.wait(for: identifier, ending) }
    }

    deinit { signal(SIGKILL) }

    /// Does nothing after its end, because its process number may be used again.
    package func signal(_ number: Int32) {
        ending.state.withLock { if $0.status == nil { kill(identifier, number) } }
    }

    /// Its exit status, or the number of the signal that ended it.
    package func status() async -> Int32 {
        await withCheckedContinuation { waiter in
            let status = ending.state.withLock { state in
                if state.status == nil { state.waiters.append(waiter) }
                return state.status
            }
            if let status { waiter.resume(returning: status) }
        }
    }

    private static func wait(for identifier: pid_t, _ ending: Ending) {
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR
        {}
        let (status, waiters) = ending.state.withLock { state in
            var word: Int32 = 0
            waitpid(identifier, &word, 0)
            let signal = word & 0x7f
            let status = signal == 0 ? word >> 8 & 0xff : signal
            defer { state.waiters = [] }
            state.status = status
            return (status, state.waiters)
        }
        waiters.forEach { $0.resume(returning: status) }
    }

    private static func spawn(
        _ program: String, _ arguments: [String], directory: String?,
        environment: [String: String], given: [Int32?]
    ) throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in zip(Int32(0)..., given) {
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            } else {
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            }
        }
        // A descriptor that is not open is not an error.
        for number in 3..<Int32(clamping: min(sysconf(Int32(_SC_OPEN_MAX)), 1 << 14)) {
            posix_spawn_file_actions_addclose(&actions, number)
        }
        if let directory { Self.changeDirectory(directory, &actions) }
        // Signals that this process ignores are not ignored by its child programs.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        let words = ([program] + arguments).map { strdup($0) }
        let variables = environment.map { strdup("\($0.key)=\($0.value)") }
        defer { (words + variables).forEach { free($0) } }
        var identifier: pid_t = 0
        let code = posix_spawn(
            &identifier, program, &actions, &attributes, words + [nil], variables + [nil])
        guard code == 0 else { throw Failure(program: program, code: code) }
        return identifier
    }

    private typealias AddDirectory =
        @convention(c) (UnsafeMutableRawPointer, UnsafePointer<CChar>) -> Int32

    /// By its name, because Swift's module of glibc leaves out what POSIX did not have at the time.
    private static func changeDirectory(
        _ path: String, _ actions: inout posix_spawn_file_actions_t
    ) {
        guard let add = dlsym(nil, "posix_spawn_file_actions_addchdir_np") else {
            return assertionFailure("this glibc can't start programs elsewhere")
        }
        _ = unsafeBitCast(add, to: AddDirectory.self)(&actions, path)
    }
}
