import Dispatch

/// Threads for calls that wait for the disk. Callers bound their number.
package enum FolderThreads {
    private static let queue = DispatchQueue(label: "vitrine.folders", attributes: .concurrent)

    package static func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(returning: Result { () throws(Failure) in try body() })
            }
        }
        return try result.get()
    }
}
