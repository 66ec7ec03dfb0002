import App
import Console
import Glibc
import Logging
import Synchronization
import Threads

/// Reports to the service manager that the service works, at the interval the manager wants, and
/// when it stops.
final class SystemdWatch: Sendable {
    private let notice: SystemdNotice
    private let interval: Duration?
    private let isWorking: @Sendable () -> Bool
    /// Asks the service from outside; nil while, or if, it has no address for that.
    private let check = Mutex<HealthCheck?>(nil)
    private let logger = Logger(label: "vitrine.systemd")

    /// While `isWorking` returns false, no watchdog message is sent.
    init(
        _ notice: SystemdNotice, _ environment: [String: String],
        isWorking: @escaping @Sendable () -> Bool
    ) {
        self.notice = notice
        interval = Self.interval(environment, process: getpid())
        self.isWorking = isWorking
    }

    /// Reports until the task is canceled.
    func run() async {
        guard let interval else { return }
        while !Task.isCancelled {
            // Sleep throws on cancellation, which the loop checks.
            try? await Task.sleep(for: interval)
            if !Task.isCancelled, await works() { await tell("WATCHDOG=1") }
        }
    }

    /// Returns whether the service works, as far as this process and its own requests tell.
    func works() async -> Bool {
        guard isWorking() else { return false }
        guard let check = check.withLock({ $0 }) else { return true }
        do throws(CommandError) {
            _ = try await check.ask()
            return true
        } catch {
            logger.warning("the service does not answer itself", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// Reports that the service stops.
    func stopping() async { await tell("STOPPING=1") }

    /// Reports that the server accepts connections. From now on the service also has to answer `check`.
    func ready(_ port: Int, asking check: HealthCheck?) async {
        self.check.withLock { $0 = check }
        await tell("READY=1\nSTATUS=Serving on port \(port).")
    }

    private func tell(_ state: String) async {
        do {
            try await FileThreads.run { [notice] () throws(CommandError) in
                try notice.send(state)
            }
        } catch {
            logger.warning(
                "the service manager could not be notified", metadata: ["error": "\(error)"])
        }
    }

    /// Returns half of the manager's watchdog timeout (sd_watchdog_enabled(3)); `nil` without a
    /// watchdog.
    static func interval(_ environment: [String: String], process: pid_t) -> Duration? {
        guard let microseconds = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }),
            microseconds > 1, environment["WATCHDOG_PID"].map({ pid_t($0) == process }) ?? true
        else { return nil }
        return .microseconds(microseconds / 2)
    }
}
