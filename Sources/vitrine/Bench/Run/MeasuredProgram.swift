import App
import Glibc
import Synchronization

/// Another program, started for a measurement: a peer, a server, or this program again.
///
/// It has a process group of its own, so that Ctrl-C reaches only this process, which then stops it
/// with everything that it started.
final class MeasuredProgram: Sendable {
    /// Where standard output or standard error goes.
    enum Output: Sendable {
        case discarded, inherited
        case file(String)

        /// Nil if it is shared with this process.
        fileprivate var file: ChildSpawn.File? {
            switch self {
            case .inherited: nil
            case .discarded: .writing("/dev/null")
            case .file(let path): .writing(path)
            }
        }
    }

    struct Order: Sendable {
        var path: String
        var arguments: [String]
        /// Added to this process's environment.
        var environment: [String: String] = [:]
        /// Whether it gets this process's settings, `VITRINE_…`, among which are credentials.
        var inheritsSettings = false
        /// A file for standard input; without one it is empty.
        var input: String?
        var output = Output.discarded
        var errors = Output.discarded

        init(_ path: String, _ arguments: [String] = []) {
            self.path = path
            self.arguments = arguments
        }
    }

    /// How it ended, and what it and the children that it waited for used.
    struct End: Sendable, Equatable {
        /// Exit status, or minus the number of the signal that ended it.
        var status: Int32
        /// From start to end, in seconds.
        var wall: Double
        /// User and system time in seconds.
        var processor: Double
        /// The largest resident set of any one of the processes, in bytes. Nil if it is not above
        /// this process's own: the kernel starts counting from there.
        var peakMemory: Int?
        /// Page faults without reading from a disk, and with.
        var faults: Int
        var majorFaults: Int
    }

    let identifier: pid_t
    private let started: ContinuousClock.Instant
    /// The largest resident set of this process at the start of the other, in bytes.
    private let ownPeak: Int
    /// Set once the process was waited for: from then on its number may be another's.
    private let end = Mutex<End?>(nil)

    private init(_ identifier: pid_t, _ started: ContinuousClock.Instant) {
        self.identifier = identifier
        self.started = started
        ownPeak = ProcessUsage.peakMemory()
    }

    /// Starts a program. Blocks for about a millisecond.
    static func start(_ order: Order) throws(CommandError) -> MeasuredProgram {
        var files: [Int32: ChildSpawn.File] = [STDIN_FILENO: .reading(order.input ?? "/dev/null")]
        files[STDOUT_FILENO] = order.output.file
        files[STDERR_FILENO] = order.errors.file
        let inherited =
            order.inheritsSettings
            ? ProcessEnvironment.values : ChildSpawn.environmentWithoutSettings
        let started = ContinuousClock.now
        let identifier = try ChildSpawn.start(
            order.path, order.arguments,
            environment: inherited.merging(order.environment) { _, added in added }, files: files)
        return MeasuredProgram(identifier, started)
    }

    /// Waits until it ends. A canceled task kills it and its process group first.
    func wait() async -> End {
        await withTaskCancellationHandler {
            await FileThreads.run { self.waitBlocking() }
        } onCancel: {
            signal(SIGKILL)
        }
    }

    /// Sends a signal to it and its process group, unless it was waited for.
    func signal(_ number: Int32) {
        end.withLock { end in
            if end == nil { _ = kill(-identifier, number) }
        }
    }

    /// Asks it to end with SIGTERM, and kills it if it still runs after `seconds`.
    func stop(within seconds: Double = 5) async {
        signal(SIGTERM)
        // A task of its own: a canceled one couldn't wait.
        let killer = Task.detached { [self] in
            try await Task.sleep(for: .seconds(seconds))
            signal(SIGKILL)
        }
        _ = await FileThreads.run { self.waitBlocking() }
        killer.cancel()
    }

    /// Runs a program to its end.
    ///
    /// - Throws: ``CommandError`` if it can't be started or its status isn't 0, with the last line
    ///   of standard error if that is a file.
    static func run(_ order: Order) async throws -> End {
        let program = try await FileThreads.run { () throws(CommandError) in
            try start(order)
        }
        let end = await program.wait()
        try Task.checkCancellation()
        guard end.status == 0 else { throw failure(of: order, end) }
        return end
    }

    /// Returns the path of a program in `PATH`; nil if it isn't installed.
    static func find(_ name: String) -> String? {
        let directories = (ProcessEnvironment.values["PATH"] ?? "").split(separator: ":")
        return directories.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    private static func failure(of order: Order, _ end: End) -> CommandError {
        let how =
            end.status < 0
            ? "was ended by signal \(-end.status)" : "ended with status \(end.status)"
        var reason = "."
        if case .file(let path) = order.errors, let text = ProcFile.text(path),
            let line = text.split(whereSeparator: \.isNewline).last
        {
            reason = ": \(line)"
        }
        return CommandError("\(order.path) \(how)\(reason)")
    }

    private func waitBlocking() -> End {
        if let end = end.withLock(\.self) { return end }
        // Without reaping it: the number must stay taken until `end` says that it is free.
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {
        }
        let wall = started.duration(to: .now) / .seconds(1)
        return end.withLock { end in
            if let end { return end }
            var status: Int32 = 0
            var usage = rusage()
            while wait4(identifier, &status, 0, &usage) < 0, errno == EINTR {}
            let isSignal = status & 0x7f != 0
            let peak = usage.ru_maxrss * 1_024
            let new = End(
                status: isSignal ? -(status & 0x7f) : (status >> 8) & 0xff, wall: wall,
                processor: usage.ru_utime.seconds + usage.ru_stime.seconds,
                peakMemory: peak > ownPeak ? peak : nil, faults: usage.ru_minflt,
                majorFaults: usage.ru_majflt)
            end = new
            return new
        }
    }
}

extension timeval {
    var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1_000_000 }
}
