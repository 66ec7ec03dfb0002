import App
import Console
import FoundationEssentials
import Glibc
import Synchronization
import Threads

/// Another program, started for a measurement: a peer, a server, or this program again.
///
/// It has a process group of its own, so that Ctrl-C reaches only this process, which then stops it
/// with everything that it started.
final class MeasuredProgram: Sendable {
    struct Order: Sendable {
        var path: String
        var arguments: [String]
        /// Added to this process's environment.
        var environment: [String: String] = [:]
        /// Whether it gets this process's settings, `VITRINE_…`, among which are credentials.
        var inheritsSettings = false
        /// Files for the standard streams. Without one the input is empty and output is discarded.
        var input: String?
        var output: String?
        var errors: String?
        /// What it is bound to; nil is every processor.
        var processors: Processors?
        /// Seconds after which ``run(_:)`` kills it; nil is never.
        var limit: Double?

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

    /// Starts a program.
    static func start(_ order: Order) async throws -> MeasuredProgram {
        try await FileThreads.run { () throws(CommandError) in try startBlocking(order) }
    }

    private static func startBlocking(_ order: Order) throws(CommandError) -> MeasuredProgram {
        let files: [Int32: ChildSpawn.File] = [
            STDIN_FILENO: .reading(order.input ?? "/dev/null"),
            STDOUT_FILENO: .writing(order.output ?? "/dev/null"),
            STDERR_FILENO: .writing(order.errors ?? "/dev/null"),
        ]
        let inherited =
            order.inheritsSettings
            ? ProcessEnvironment.values : ChildSpawn.environmentWithoutSettings
        // The child inherits what its parent's thread is bound to.
        let before = Processors.allowed()
        order.processors?.bindThisThread()
        defer { if order.processors != nil { before.bindThisThread() } }
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
        let killer = killer(after: seconds)
        _ = await FileThreads.run { self.waitBlocking() }
        killer.cancel()
    }

    /// A task of its own: a canceled one couldn't wait.
    private func killer(after seconds: Double) -> Task<Void, any Error> {
        Task.detached { [self] in
            try await Task.sleep(for: .seconds(seconds))
            signal(SIGKILL)
        }
    }

    /// Runs a program to its end.
    ///
    /// - Throws: ``CommandError`` if it can't be started or its status isn't 0, with the last line
    ///   of standard error if that is a file.
    static func run(_ order: Order) async throws -> End {
        let program = try await start(order)
        let killer = order.limit.map { program.killer(after: $0) }
        let end = await program.wait()
        killer?.cancel()
        try Task.checkCancellation()
        guard end.status != 0 else { return end }
        if let limit = order.limit, end.status == -SIGKILL, end.wall >= limit {
            throw CommandError(
                "\(order.path) did not end within \(BenchText.number(limit)) s and was stopped.")
        }
        let how =
            end.status < 0
            ? "was ended by signal \(-end.status)" : "ended with status \(end.status)"
        let line = order.errors.flatMap(ProcFile.text)?.split(whereSeparator: \.isNewline).last
        throw CommandError("\(order.path) \(how)\(line.map { ": \($0)" } ?? ".")")
    }

    /// Returns all that a program prints, errors after output; nil if it can't be run or fails.
    static func output(of program: String, _ arguments: [String]) async -> String? {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("vitrine-bench-\(UUID().uuidString)").path
        var order = Order(program, arguments)
        (order.output, order.errors) = (file, file + "-errors")
        let end = try? await run(order)
        return await FileThreads.run {
            defer {
                for path in [file, file + "-errors"] {
                    try? FileManager.default.removeItem(atPath: path)
                }
            }
            guard end != nil else { return nil }
            return (ProcFile.text(file) ?? "") + (ProcFile.text(file + "-errors") ?? "")
        }
    }

    /// Returns the path of a program in `PATH`; nil if it isn't installed.
    static func find(_ name: String) -> String? {
        let directories = (ProcessEnvironment.values["PATH"] ?? "").split(separator: ":")
        return directories.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
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
                processor: usage.processorSeconds,
                peakMemory: peak > ownPeak ? peak : nil)
            end = new
            return new
        }
    }
}
