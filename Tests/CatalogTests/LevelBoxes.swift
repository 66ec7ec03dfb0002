import Catalog

/// The boxes of the levels that come with the service.
enum LevelBoxes {
    static let all = [80, 160, 320, 640, 1_280].map {
        PictureBox(width: $0, height: $0 * 3 / 2)
    }
}

extension ItemDetails {
    /// Labels of its candidates as a level of that width tries them.
    func labels(for box: PictureBox) -> String {
        orderedChain(for: box).compactMap { $0.candidate?.label }.joined(separator: " → ")
    }

    /// The address that a level tries first.
    func firstURL(for box: PictureBox) -> String? {
        orderedChain(for: box).first?.candidate?.url
    }
}

extension ChainStep {
    var candidate: Candidate? {
        if case .candidate(let candidate) = self { candidate } else { nil }
    }
}
