/// A picture that its server returns in any requested size (IIIF, iTunes artwork).
package struct ScalableCandidate: Sendable, Hashable, Codable {
    /// URL with the placeholders `{width}` and `{height}`, in pixels.
    package var template: String
    /// A name for people. The size is appended.
    package var label: String
    package var rank: Int
    /// Size of the largest picture that the server returns; `nil` if it is unknown.
    package var maxWidth: Int?
    package var maxHeight: Int?
    /// Whether the server fits the picture into squares. Both sides are then the shorter side of
    /// the requested box. A picture that is missing in one size is missing in all.
    package var isSquare = false

    /// Returns a candidate in the size of the box, limited to the largest size, then one of half
    /// that size for servers that reject the first.
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

    /// Returns the size of the returned picture. It keeps its aspect ratio, which the largest size
    /// shows.
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
