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
        /// The largest resident set of any one of the processes, in bytes. Nil if it is not above this
        /// process's own: the kernel starts counting from there.
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
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(
            &actions, STDIN_FILENO, order.input ?? "/dev/null", O_RDONLY, 0)
        redirect(STDOUT_FILENO, order.output, &actions)
        redirect(STDERR_FILENO, order.errors, &actions)
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
        let words = ([order.path] + order.arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        let inherited = ProcessEnvironment.values.filter {
            order.inheritsSettings || !$0.key.hasPrefix("VITRINE_")
        }
        let values = inherited.merging(order.environment) { _, added in added }
        let variables = values.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { variables.forEach { free($0) } }
        var identifier: pid_t = 0
        let started = ContinuousClock.now
        let code = posix_spawn(
            &identifier, order.path, &actions, &attributes, words, variables)
        guard code == 0 else {
            throw CommandError(
                "\(order.path) can't be started: \(String(cString: strerror(code))).")
        }
        return MeasuredProgram(identifier, started)
    }

    /// Waits until it ends. A cancelled task kills it and its process group first.
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
        // A task of its own: a cancelled one couldn't wait.
        let killer = Task.detached { [self] in
            try await Task.sleep(for: .seconds(seconds))
            signal(SIGKILL)
        }
        _ = await FileThreads.run { self.waitBlocking() }
        killer.cancel()
    }

    /// Runs a program to its end.
    ///
    /// - Throws: ``CommandError`` if it can't be started or its status isn't 0, with the last line of
    ///   standard error if that is a file.
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

    private static func redirect(
        _ descriptor: Int32, _ output: Output, _ actions: inout posix_spawn_file_actions_t
    ) {
        switch output {
        case .inherited: break
        case .discarded:
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        case .file(let path):
            posix_spawn_file_actions_addopen(
                &actions, descriptor, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }
    }
}

extension timeval {
    var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1_000_000 }
}
