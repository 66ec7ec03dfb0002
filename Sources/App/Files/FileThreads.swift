import Dispatch

/// Threads for blocking file calls, which would otherwise block the cooperative pool.
///
/// Nothing here limits the number of concurrent calls. Callers must.
package enum FileThreads {
    private static let queue = DispatchQueue(label: "vitrine.files", attributes: .concurrent)

    package static func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(Failure) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
