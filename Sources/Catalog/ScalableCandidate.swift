/// A picture that its server gives in the size asked for (IIIF, iTunes artwork).
package struct ScalableCandidate: Sendable, Hashable, Codable {
    /// URL with `{width}` and `{height}` where the pixels go.
    package var template: String
    /// What it is, for people; the size is added.
    package var label: String
    package var rank: Int
    /// Pixels that the server gives at most, the whole picture in its shape; `nil` where that is
    /// unknown.
    package var maxWidth: Int?
    package var maxHeight: Int?
    /// The server fits the picture into squares: both sides are the shorter one wanted, and what it
    /// refuses in one size it refuses in all.
    package var isSquare: Bool

    package init(
        template: String, label: String, rank: Int, maxWidth: Int? = nil, maxHeight: Int? = nil,
        isSquare: Bool = false
    ) {
        self.template = template
        self.label = label
        self.rank = rank
        self.maxWidth = maxWidth
        self.maxHeight = maxHeight
        self.isSquare = isSquare
    }

    /// The size wanted, clamped to what there is, then half of it for servers that refuse the first.
    func candidates(for box: PictureBox) -> [Candidate] {
        let whole = clamped(box)
        guard !isSquare else {
            let side = min(whole.width, whole.height)
            return [candidate(PictureBox(width: side, height: side))]
        }
        let half = PictureBox(width: max(1, whole.width / 2), height: max(1, whole.height / 2))
        return whole == half ? [candidate(whole)] : [candidate(whole), candidate(half)]
    }

    private func clamped(_ box: PictureBox) -> PictureBox {
        PictureBox(
            width: max(1, min(box.width, maxWidth ?? .max)),
            height: max(1, min(box.height, maxHeight ?? .max)))
    }

    private func candidate(_ size: PictureBox) -> Candidate {
        let given = given(for: size)
        return Candidate(
            url: template.replacing("{width}", with: "\(size.width)")
                .replacing("{height}", with: "\(size.height)"),
            label: "\(label) \(given.width)×\(given.height)", rank: rank, width: given.width,
            height: given.height)
    }

    /// The pixels that come: the picture keeps its shape, which the most there is of it tells.
    private func given(for size: PictureBox) -> PictureBox {
        guard let maxWidth, let maxHeight, Bounds.side.contains(maxWidth),
            Bounds.side.contains(maxHeight)
        else { return size }
        let scale = min(
            Double(size.width) / Double(maxWidth), Double(size.height) / Double(maxHeight))
        return PictureBox(
            width: max(1, Int((Double(maxWidth) * scale).rounded())),
            height: max(1, Int((Double(maxHeight) * scale).rounded())))
    }
}
