import Fetch
import FoundationEssentials
import Synchronization
import Threads

/// The copy of a list on a server, which is asked for changes once in a while. Thread-safe.
final class ListCopy: Sendable {
    /// How often the server is asked for changes, in seconds.
    private static let recheck: Double = 300
    /// The same after it could not be asked.
    private static let retry: Double = 30

    private struct State {
        /// When the server was asked.
        var askedAt: Date?
        var isAsking = false
        var failure: Failure?

        func isDue(at now: Date) -> Bool {
            let pause = failure == nil ? ListCopy.recheck : ListCopy.retry
            return askedAt.map { abs(now.timeIntervalSince($0)) >= pause } ?? true
        }
    }

    private let definition: ListDefinition
    private let path: String
    private let directory: String
    private let now: @Sendable () -> Date
    private let report: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - directory: where the copy is, which is made for it.
    ///   - report: gets a sentence when the list can't be fetched while there is a copy, or can't be kept.
    init(
        _ definition: ListDefinition, _ path: String, directory: String,
        now: @escaping @Sendable () -> Date, report: @escaping @Sendable (String) -> Void
    ) {
        self.definition = definition
        self.path = path
        self.directory = directory
        self.now = now
        self.report = report
    }

    /// Why the list could not be fetched; nil if it was, and before the server is asked.
    var failure: Failure? { state.withLock { $0.failure } }

    /// Whether the server is to be asked for the list again.
    var isDue: Bool {
        let now = now()
        return state.withLock { $0.isDue(at: now) }
    }

    /// Returns whether the caller has to ask the server, with ``fetch(_:)``.
    func begin() -> Bool {
        let now = now()
        return state.withLock { state in
            guard !state.isAsking, state.isDue(at: now) else { return false }
            state.isAsking = true
            return true
        }
    }

    /// Asks the server for the list, and keeps it on this machine.
    ///
    /// - Throws: ``Failure`` of kind `sourceUnavailable` if there is no copy, and `canceled`.
    func fetch(_ api: any APIReading) async throws(Failure) {
        let now = now()
        defer {
            state.withLock { state in
                state.isAsking = false
                state.askedAt = now
            }
        }
        do throws(Failure) {
            var call = APICall(url: definition.place, allowedHosts: [HostPattern("*")])
            call.isOperators = true
            call.headers = [(name: "Accept", value: "*/*")]
            let answer = try await api.read(call)
            guard answer.isSuccess else {
                throw .unavailable(reason: "\(definition.shownPlace) answered \(answer.status).")
            }
            await FileThreads.run { [self] () throws(Never) in keep(answer.body) }
            state.withLock { $0.failure = nil }
        } catch {
            if error.kind == .canceled { throw error }
            state.withLock { $0.failure = error }
            let isKept = await FileThreads.run { [path] () throws(Never) in
                FileManager.default.fileExists(atPath: path)
            }
            guard isKept else { throw error }
            report("The list “\(definition.name)” can't be fetched: \(error.reason)")
        }
    }

    /// Replaces the list on this machine if it has changed.
    private func keep(_ body: [UInt8]) {
        let data = Data(body)
        // Without a copy, or with one that can't be read, the list has changed. Other things than files, such as
        // named pipes, are not waited for.
        if ListStamp(path, 0) != nil, (try? Data(contentsOf: URL(filePath: path))) == data {
            return
        }
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
            try data.write(to: URL(filePath: path), options: .atomic)
        } catch {
            // The copy before stays in force.
            report(
                "The list “\(definition.name)” can't be kept in \(path): "
                    + "\(error)")
        }
    }
}
