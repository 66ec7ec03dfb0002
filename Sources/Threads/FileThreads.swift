import Dispatch

/// Threads for blocking calls that take a moment, such as those on files and names of hosts. They would
/// otherwise block Swift's own threads.
///
/// Nothing here limits the number of concurrent calls. Callers must.
package enum FileThreads {
    private static let queue = DispatchQueue(label: "vitrine.files", attributes: .concurrent)

    package static func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await elsewhere(body) { queue.async(execute: $0) }
    }
}
