/// Small pictures never wait behind large ones: each kind has threads and memory of its own.
package enum RenderLane: String, Sendable, CaseIterable {
    case quick, slow

    /// Quick renders leave the cores to what is rendered already, and slow ones to them.
    var niceness: Int {
        switch self {
        case .quick: 5
        case .slow: 15
        }
    }
}
