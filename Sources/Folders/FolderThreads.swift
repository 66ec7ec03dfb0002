import Dispatch

/// Threads for calls that wait for the disk. Callers bound their number.
package enum FolderThreads {
    private static let queue = DispatchQueue(label: "vitrine.folders", attributes: .concurrent)

    package static func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(FolderError) -> Value
    ) async throws(FolderError) -> Value {
        let result: Result<Value, FolderError> = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(returning: Result { () throws(FolderError) in try body() })
            }
        }
        return try result.get()
    }
}
