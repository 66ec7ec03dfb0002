import Catalog
import Fetch
import Foundation
import Logging
import Pipeline

/// The caches in front that the settings name, told of purges in the background.
package final class PurgeCalls: PurgeHook {
    /// Limit of one attempt: caches answer within a second, and a purge that they took is repeated safely.
    private static let timeout = Duration.seconds(10)

    private let queues: [PurgeQueue]
    private let fetcher: Fetcher?

    /// Returns nil if the settings name no cache.
    ///
    /// - Throws: `FetchError` if the network settings can't work.
    init?(
        _ settings: Settings, metrics: PipelineMetrics, logger: Logger
    ) throws(FetchError) {
        func queue(_ name: String, _ call: @escaping PurgeQueue.Call) -> PurgeQueue {
            PurgeQueue(
                name, logger: logger,
                ended: { metrics.cachePurge(by: name, isTold: $0) }, call)
        }
        var queues: [PurgeQueue] = []
        var fetcher: Fetcher?
        let token = settings.credentials.cdnPurgeToken.value
        if settings.purgeRequest.url != nil {
            let own = try Fetcher(settings.endpointFetching(within: Self.timeout))
            var template = settings.purgeRequest
            template.token = token
            queues.append(
                queue("url") { [template] (tags, soft) throws(PurgeQueue.CallError) in
                    try await template.send(tags, soft: soft, by: own)
                })
            fetcher = own
        }
        if !settings.purgeCommand.isEmpty {
            let command = settings.purgeCommand
            queues.append(
                queue("command") { (tags, soft) throws(PurgeQueue.CallError) in
                    try await Self.run(
                        command, tags, soft: soft, token: token, within: Self.timeout)
                })
        }
        guard !queues.isEmpty else { return nil }
        self.queues = queues
        self.fetcher = fetcher
    }

    package func purged(_ tags: [String], soft: Bool) {
        for queue in queues { queue.add(tags, soft: soft) }
    }

    /// Waits until every cache has been told. Returns why one could not be told.
    package func settled() async -> [String] {
        var failures: [String] = []
        for queue in queues { failures += await queue.settled() }
        return failures
    }

    /// Tries what waits once more, and stops.
    func close() async {
        await withTaskGroup(of: Void.self) { group in
            for queue in queues { group.addTask { await queue.close() } }
        }
        await fetcher?.shutdown()
    }

    /// Runs a program that tells a cache in front what to purge: it gets the names as further arguments.
    ///
    /// - Parameters:
    ///   - command: the program and its first arguments.
    ///   - timeout: after this the program and all that it has started are killed.
    static func run(
        _ command: [String], _ tags: [String], soft: Bool, token: Secret?, within timeout: Duration
    ) async throws(PurgeQueue.CallError) {
        guard let path = command.first else { return }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = command.dropFirst() + tags
        var environment = [
            "PATH": ProcessEnvironment.values["PATH"] ?? "/usr/bin:/bin",
            "VITRINE_PURGE_SOFT": soft ? "1" : "0",
        ]
        environment["VITRINE_PURGE_TOKEN"] = token?.reveal()
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        // Not the service's own, whose lines have the form of its log.
        let complaint = Pipe()
        process.standardError = complaint
        let (ends, end) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { process in
            let exited = process.terminationReason == .exit
            end.yield(exited ? process.terminationStatus : -1)
            end.finish()
        }
        // Enough that a program which says much isn't stopped by a pipe that is read at its end.
        _ = fcntl(complaint.fileHandleForWriting.fileDescriptor, setPipeSize, CInt(1 << 20))
        do {
            try process.run()
        } catch {
            throw .refused("\(path) can't be started.")
        }
        let group = process.processIdentifier
        let limit = Task {
            try await Task.sleep(for: timeout)
            // It leads a process group of its own.
            kill(-group, SIGKILL)
            kill(group, SIGKILL)
        }
        // The task that calls this is never canceled, so the stream has the status.
        let status = await ends.first { _ in true } ?? -1
        limit.cancel()
        if case .success = await limit.result {
            throw .failed("\(path) took too long and was ended.")
        }
        guard status == 0 else {
            let said = firstLine(of: complaint).map { ": \($0)" } ?? "."
            throw .failed(
                status < 0
                    ? "\(path) was ended by a signal." : "\(path) ended with \(status)\(said)")
        }
    }

    /// `F_SETPIPE_SZ`, which Glibc's module leaves out.
    private static let setPipeSize: CInt = 1_031

    /// Bytes that are read of what a program says of its failure.
    private static let maxComplaint = 1 << 10

    /// Returns the first line that a program has written; nil if it wrote none. Doesn't wait.
    private static func firstLine(of pipe: Pipe) -> String? {
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        // What it started may still hold the other end.
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: maxComplaint) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first
            .map(String.init)
    }
}
