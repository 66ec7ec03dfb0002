import Foundation
import Glibc

/// `vitrine-demo`, the program that plays the catalogs, in a process of its own.
///
/// It ends when its standard input does: at the latest with this process, however that ends.
struct DemoProgram: Sendable {
    /// How to reach it, and what it shows.
    let announcement: DemoAnnouncement

    private let identifier: pid_t
    /// The writing end of the child's standard input.
    private let input: Int32

    /// Starts the program that lies beside this one; returns once it listens. Blocks until then.
    ///
    /// - Parameter options: further options of `vitrine-demo origin`.
    /// - Throws: ``CommandError`` where the program is missing or ends before it listens.
    static func start(
        shows: Int, seed: UInt64?, options: [String] = []
    ) throws(CommandError) -> DemoProgram {
        let path = try path(beside: "/proc/self/exe")
        var arguments = [path, "origin", "--until-eof", "--shows", String(shows)]
        if let seed { arguments += ["--seed", String(seed)] }
        arguments += options
        let (inRead, inWrite) = try pipe()
        let (outRead, outWrite) = try pipe()
        let child = spawn(path, arguments, input: inRead, output: outWrite)
        close(inRead)
        close(outWrite)
        defer { close(outRead) }
        guard case .success(let identifier) = child else {
            close(inWrite)
            throw CommandError("\(path) can't be started: \(child.failureText).")
        }
        let line = firstLine(outRead)
        do {
            let announcement = try JSONDecoder().decode(
                DemoAnnouncement.self, from: Data(line))
            return DemoProgram(
                announcement: announcement, identifier: identifier, input: inWrite)
        } catch {
            close(inWrite)
            _ = wait(for: identifier)
            throw CommandError("\(path) ended before it listened; its own message is above.")
        }
    }

    /// Ends it, and waits until it has ended. Blocks for up to two seconds.
    func stop() {
        close(input)
        _ = Self.wait(for: identifier)
    }

    /// The path of `vitrine-demo` in the directory of a program.
    static func path(beside program: String) throws(CommandError) -> String {
        guard let resolved = realpath(program, nil) else {
            throw CommandError("\(program) can't be resolved, so vitrine-demo can't be found.")
        }
        defer { free(resolved) }
        let directory = String(cString: resolved).split(
            separator: "/", omittingEmptySubsequences: false
        ).dropLast().joined(separator: "/")
        let path = "\(directory)/vitrine-demo"
        guard access(path, X_OK) == 0 else {
            throw CommandError(
                "The demo is a program of its own, and \(path) is missing. Build it with: make build"
            )
        }
        return path
    }

    private static func pipe() throws(CommandError) -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else {
            throw CommandError("The demo can't be started: \(String(cString: strerror(errno))).")
        }
        // Not for other children of this process, which would keep it open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private enum Child {
        case success(pid_t)
        case failure(Int32)

        var failureText: String {
            if case .failure(let code) = self { String(cString: strerror(code)) } else { "" }
        }
    }

    /// Standard error is shared. In a group of its own, so that Ctrl-C reaches this process alone,
    /// which then ends the child in order; with the signals that a program expects.
    private static func spawn(
        _ path: String, _ arguments: [String], input: Int32, output: Int32
    ) -> Child {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, usual) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&usual)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&usual, signal) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        let words = arguments.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, path, &actions, &attributes, words, environ)
        return code == 0 ? .success(identifier) : .failure(code)
    }

    /// Without the line feed; what there is where the other end closes.
    private static func firstLine(_ descriptor: Int32) -> [UInt8] {
        var line: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return line }
            line += bytes.prefix(count)
            if let end = line.firstIndex(of: UInt8(ascii: "\n")) { return Array(line[..<end]) }
        }
    }

    private static func wait(for identifier: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        return status
    }
}
