import Foundation
import Glibc

/// `vitrine-demo`, the program that plays the catalogs, in a process of its own.
///
/// It ends when its standard input does: at the latest with this process, however that ends.
package struct DemoProgram: Sendable {
    /// How to reach it, and what it shows.
    package let announcement: DemoAnnouncement

    private let identifier: pid_t
    /// The writing end of the child's standard input.
    private let input: Int32

    /// Starts the program that lies beside this one; returns once it listens. Blocks until then.
    ///
    /// - Parameter options: further options of `vitrine-demo origin`.
    /// - Throws: ``CommandError`` if the program is missing or ends before it listens.
    package static func start(
        shows: Int, seed: UInt64?, options: [String] = []
    ) throws(CommandError) -> DemoProgram {
        let path = try path()
        var arguments = ["origin", "--until-eof", "--shows", String(shows)]
        if let seed { arguments += ["--seed", String(seed)] }
        arguments += options
        let (inRead, inWrite) = try pipe()
        let (outRead, outWrite) = try pipe()
        defer { close(outRead) }
        let identifier: pid_t
        do {
            defer {
                close(inRead)
                close(outWrite)
            }
            identifier = try ChildSpawn.start(
                path, arguments, environment: ChildSpawn.environmentWithoutSettings,
                files: [STDIN_FILENO: .descriptor(inRead), STDOUT_FILENO: .descriptor(outWrite)])
        } catch {
            close(inWrite)
            throw error
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
    package func stop() {
        close(input)
        _ = Self.wait(for: identifier)
    }

    /// How it ended before it was stopped, as the end of a sentence; nil while it runs.
    package var ending: String? {
        var information = siginfo_t()
        // Without reaping it, so that its number stays taken.
        guard waitid(P_PID, id_t(identifier), &information, WEXITED | WNOHANG | WNOWAIT) == 0,
            information.si_signo == SIGCHLD
        else { return nil }
        let status = information._sifields._sigchld.si_status
        return information.si_code == Int32(CLD_EXITED)
            ? "ended with status \(status)" : "was ended by signal \(status)"
    }

    /// The path of `vitrine-demo` in the directory of a program.
    package static func path(
        beside program: String = "/proc/self/exe"
    ) throws(CommandError) -> String {
        try SiblingProgram.path("vitrine-demo", "The demo", beside: program)
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

    /// Returns the first line without its line feed, or all bytes if the other end closes before
    /// one.
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
