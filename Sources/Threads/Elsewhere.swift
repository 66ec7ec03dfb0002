/// Suspends the caller until the thread that `start` gives the call to has made it.
///
/// What the call captured is released before the caller continues, so that a file or memory which it had
/// reserved is free then.
func elsewhere<Value: Sendable, Failure: Error>(
    _ call: @escaping @Sendable () throws(Failure) -> Value,
    start: (@escaping @Sendable () -> Void) -> Void
) async throws(Failure) -> Value {
    // Unchecked because only the thread that was given the call uses it.
    nonisolated(unsafe) var pending = Optional(call)
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
        start {
            let result = pending.take().map { call in Result { () throws(Failure) in try call() } }
            // This thread must not hold it, either.
            if let result { continuation.resume(returning: consume result) }
        }
    }
    return try result.get()
}
