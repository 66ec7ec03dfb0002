import Catalog
import Foundation
import Synchronization

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
        let end = ProgramEnd()
        let status: Int32
        do {
            status = try await withCheckedThrowingContinuation { continuation in
                end.wait(continuation)
                process.terminationHandler = { process in
                    let exited = process.terminationReason == .exit
                    end.resume(.success(exited ? process.terminationStatus : -1))
                }
                do {
                    try process.run()
                } catch {
                    end.resume(.failure(error))
                    return
                }
                // It leads a process group of its own.
                let (group, timeout) = (process.processIdentifier, timeout)
                Task {
                    // The task is never canceled.
                    try? await Task.sleep(for: timeout)
                    guard end.isLate() else { return }
                    kill(-group, SIGKILL)
                    kill(group, SIGKILL)
                }
            }
        } catch {
            throw .refused("\(path) can't be started.")
        }
        if end.wasLate { throw .failed("\(path) took too long and was ended.") }
        guard status == 0 else {
            throw .failed(
                status < 0 ? "\(path) was ended by a signal." : "\(path) ended with \(status).")
        }
    }
}

/// The end of a program, whichever way it comes first.
private final class ProgramEnd: Sendable {
    private struct State {
        var waiter: CheckedContinuation<Int32, any Error>?
        var wasLate = false
    }

    private let state = Mutex(State())

    var wasLate: Bool { state.withLock { $0.wasLate } }

    func wait(_ waiter: CheckedContinuation<Int32, any Error>) {
        state.withLock { $0.waiter = waiter }
    }

    func resume(_ result: Result<Int32, any Error>) {
        state.withLock { $0.waiter.take() }?.resume(with: result)
    }

    /// Returns whether the program still runs, and notes that it is ended for that.
    func isLate() -> Bool {
        state.withLock { state in
            state.wasLate = state.waiter != nil
            return state.wasLate
        }
    }
}
