import App
import Console
import Glibc
import HTTP
import Logging
import Serve
import Synchronization
import Threads

/// Reads the settings again on SIGHUP and applies what can change at run time: the log level and
/// the certificate.
///
/// Other changes are logged and need a restart.
struct Reload: Sendable {
    /// Settings that apply at once.
    static let keys: Set<String> = ["log.level"]

    private let read: @Sendable () throws -> Settings
    private let identity: TLSIdentity?
    private let current: Current
    private let signals: AsyncStream<CInt>

    private final class Current: Sendable {
        let settings: Mutex<Settings>
        init(_ settings: Settings) { self.settings = Mutex(settings) }
    }

    /// From now on SIGHUP no longer ends the process.
    ///
    /// - Parameter read: returns the settings as at startup. It may block.
    init(
        _ settings: Settings, _ identity: TLSIdentity?,
        _ read: @escaping @Sendable () throws -> Settings
    ) async {
        signals = await ProcessSignals.of(SIGHUP)
        self.read = read
        self.identity = identity
        current = Current(settings)
    }

    /// Handles SIGHUP until the task is canceled.
    func run() async {
        let logger = Logger(label: "vitrine.reload")
        for await _ in signals { await once(logger) }
    }

    func once(_ logger: Logger) async {
        do {
            let (read, identity) = (read, identity)
            let fresh = try await FileThreads.run { () throws in
                let fresh = try read()
                try identity?.reload()
                return fresh
            }
            let changed = current.settings.withLock { old in
                defer { old = Self.merged(fresh, into: old) }
                return Self.changes(from: old, to: fresh)
            }
            LogThreshold.process.level = fresh.log.level
            logger.notice(
                "settings were read again",
                metadata: [
                    "changed": "\(changed.taken.joined(separator: ", "))",
                    "needs a restart": "\(changed.waiting.joined(separator: ", "))",
                ])
        } catch {
            // The running settings stay in force.
            logger.error("settings were not read again", metadata: ["error": "\(error)"])
        }
    }

    /// Returns the changed settings: those that apply at once, and those that need a restart.
    /// Credentials are ignored.
    static func changes(
        from old: Settings, to new: Settings
    ) -> (taken: [String], waiting: [String]) {
        let changed = ConfigurationKey.all.filter { key in
            if key.shape == .tree { return old.sources != new.sources }
            return key.shape != .secret && key.print(old) != key.print(new)
        }.map(\.path)
        return (changed.filter(keys.contains), changed.filter { !keys.contains($0) })
    }

    /// Keeps the running value of settings that need a restart, so that the next reload reports
    /// them again.
    private static func merged(_ fresh: Settings, into old: Settings) -> Settings {
        var merged = old
        merged.log.level = fresh.log.level
        return merged
    }
}
