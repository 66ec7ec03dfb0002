import Catalog
import Foundation

/// A program that tells a cache in front what to purge: it gets the names as further arguments.
struct PurgeProgram: Sendable {
    /// The program and its first arguments.
    var command: [String]
    var token: Secret?
    /// After this the program and all that it has started are killed.
    var timeout: Duration

    func run(_ tags: [String], soft: Bool) async throws(PurgeQueue.CallError) {
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
        let (ends, end) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { process in
            let exited = process.terminationReason == .exit
            end.yield(exited ? process.terminationStatus : -1)
            end.finish()
        }
        do {
            try process.run()
        } catch {
            throw .refused("\(path) can't be started.")
        }
        let (group, timeout) = (process.processIdentifier, timeout)
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
            throw .failed(
                status < 0 ? "\(path) was ended by a signal." : "\(path) ended with \(status).")
        }
    }
}
