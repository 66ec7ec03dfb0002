/// Small pictures never wait behind large ones: each lane has its own threads and share of memory.
package enum RenderLane: String, Sendable, CaseIterable {
    case quick, slow

    /// Serving goes before quick renders, and those before slow ones.
    var niceness: CInt {
        switch self {
        case .quick: 5
        case .slow: 15
        }
    }
}
