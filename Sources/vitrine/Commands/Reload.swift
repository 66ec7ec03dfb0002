import App
import Console
import Glibc
import HTTP
import Logging
import Synchronization
import Threads

/// Reads the settings again on SIGHUP, and applies what can change at run time
/// (``ConfigurationKey/isReloaded``) with the certificate.
///
/// Other changes are logged and need a restart.
final class Reload: Sendable {
    /// Replaces settings by others. Calls `commit` before it changes anything.
    typealias Apply =
        @Sendable (
            _ last: Settings, _ fresh: Settings, _ commit: () throws -> Void
        ) throws -> Void

    private let read: @Sendable () throws -> Settings
    private let identity: TLSIdentity?
    /// The settings in force.
    private let current: Mutex<Settings>
    private let signals: AsyncStream<CInt>

    /// From now on SIGHUP no longer ends the process.
    ///
    /// - Parameter read: returns the settings as at startup, checked. It may block.
    init(
        _ settings: Settings, _ identity: TLSIdentity?,
        _ read: @escaping @Sendable () throws -> Settings
    ) async {
        signals = await ProcessSignals.of(SIGHUP)
        self.read = read
        self.identity = identity
        current = Mutex(settings)
    }

    /// Handles SIGHUP until the task is canceled.
    func run(_ apply: @escaping Apply) async {
        let logger = Logger(label: "vitrine.reload")
        for await _ in signals { await once(logger, apply) }
    }

    private func once(_ logger: Logger, _ apply: @escaping Apply) async {
        do {
            let (taken, waiting) = try await FileThreads.run {
                [self] () throws -> (taken: [String], waiting: [String]) in
                let fresh = try read()
                let last = current.withLock { $0 }
                // Settings that need a restart stay, so that the next reload names them again.
                let merged = last.reloaded(from: fresh)
                try apply(last, merged) { try identity?.reload() }
                current.withLock { $0 = merged }
                LogThreshold.process.level = merged.log.level
                return Self.changes(from: last, to: fresh)
            }
            logger.notice(
                "settings were read again",
                metadata: [
                    "changed": "\(taken.joined(separator: ", "))",
                    "needsRestart": "\(waiting.joined(separator: ", "))",
                ])
        } catch {
            // The running settings stay in force.
            logger.error("settings were not read again", metadata: ["error": "\(error)"])
        }
    }

    /// Returns the changed settings: those that apply at once, and those that need a restart.
    static func changes(
        from old: Settings, to new: Settings
    ) -> (taken: [String], waiting: [String]) {
        let changed = old.changes(to: new)
        return (
            changed.filter(\.isReloaded).map(\.path), changed.filter { !$0.isReloaded }.map(\.path)
        )
    }
}
