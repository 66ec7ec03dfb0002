import Glibc
import Logging
import ServiceLifecycle

/// Tells the service manager that the service works, as often as it wants to hear that, and when it
/// stops.
struct SystemdWatch: Service {
    private let notice: SystemdNotice
    private let interval: Duration?
    private let isWorking: @Sendable () -> Bool
    private let logger = Logger(label: "vitrine.systemd")

    /// Once `isWorking` says no, nothing is told until it says yes again.
    init(
        _ notice: SystemdNotice, _ environment: [String: String],
        isWorking: @escaping @Sendable () -> Bool
    ) {
        self.notice = notice
        interval = Self.interval(environment, process: getpid())
        self.isWorking = isWorking
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // Fails where it is cancelled, which the loop sees.
                try? await Task.sleep(for: interval ?? .seconds(3_600))
                if interval != nil, isWorking() { await tell("WATCHDOG=1") }
            }
        }
        await tell("STOPPING=1")
    }

    /// Connections are accepted.
    func ready(_ port: Int) async { await tell("READY=1\nSTATUS=Serving on port \(port).") }

    private func tell(_ state: String) async {
        do {
            try await FileThreads.run { [notice] () throws(SystemdNotice.Failure) in
                try notice.send(state)
            }
        } catch {
            logger.warning("the service manager was not told", metadata: ["error": "\(error)"])
        }
    }

    /// Half of what the manager waits for (sd_watchdog_enabled(3)); `nil` where it doesn't.
    static func interval(_ environment: [String: String], process: pid_t) -> Duration? {
        guard let microseconds = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }),
            microseconds > 1, environment["WATCHDOG_PID"].map({ pid_t($0) == process }) ?? true
        else { return nil }
        return .microseconds(microseconds / 2)
    }
}
