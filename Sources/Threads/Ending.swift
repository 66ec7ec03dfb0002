/// Runs `body` and then `end`, whether or not `body` throws. If both throw, the error of `end` is
/// thrown.
package func withEnd<Value>(
    _ end: () async throws -> Void, _ body: () async throws -> Value
) async throws -> Value {
    let outcome: Result<Value, any Error>
    do {
        outcome = .success(try await body())
    } catch {
        outcome = .failure(error)
    }
    try await end()
    return try outcome.get()
}
