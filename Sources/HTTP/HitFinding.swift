/// Where the response to a request is.
package enum HitFinding {
    /// In memory. A table can keep it.
    case inMemory(HitOffer)
    /// Read from disk for one response, or made without a body that is not needed.
    case once(HitOffer, HitFreshness)
    /// On disk, and reading it would make the thread wait.
    case waits(any HitRead)
    /// Elsewhere: only a responder can answer.
    case unknown
}

/// A picture that a thread other than the caller's can read.
package protocol HitRead: AnyObject, Sendable {
    /// Reads it, then calls `onEnd`, once and on another thread.
    func start(_ onEnd: @escaping @Sendable () -> Void)
}
