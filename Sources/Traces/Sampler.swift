/// Decides which requests are traced. Pure.
package struct Sampler: Sendable, Equatable {
    /// Ids of 63 bits below this are taken: from none to all.
    private let bound: UInt64
    /// Whether the client's decision counts, if it made one.
    private let followsParent: Bool

    /// - Parameter share: of the traces, from 0 to 1.
    package init(share: Double, followsParent: Bool) {
        bound = UInt64(min(1, max(0, share)) * 0x1p63)
        self.followsParent = followsParent
    }

    /// All services that take the same share decide alike, because they look at the same random bits
    /// of the trace's id.
    ///
    /// - Parameter parent: the client's span; nil without one.
    func samples(_ trace: TraceContext.TraceID, parent: TraceContext?) -> Bool {
        if followsParent, let parent { return parent.isSampled }
        return trace.low >> 1 < bound
    }
}
