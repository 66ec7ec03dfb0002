import Fetch

/// The addresses of an album's artwork, which have three forms.
///
/// The last part of two forms is the size, `…/100x100bb.jpg`, and the server returns any other
/// size. Old addresses hold the size within the file name, `….100x100-75.jpg`, and are used
/// unchanged. This rewriting is common practice, but Apple doesn't document it.
struct ITunesArtwork: Sendable {
    /// The address of the 100-pixel picture.
    private let wide: CheckedURL?
    /// The address of the 60-pixel picture.
    private let small: CheckedURL?

    /// Largest side that is requested, in pixels. The servers offer files of many MB, which improve
    /// no thumbnail.
    static let maxSide = 1_200

    init(wide: String?, small: String?) {
        self.wide = wide.flatMap { CheckedURL($0, hosts: [ITunesHosts.images]) }
        self.small = small.flatMap { CheckedURL($0, hosts: [ITunesHosts.images]) }
    }

    /// The scalable artwork, then both addresses as given.
    var chain: [ChainStep] {
        var chain: [ChainStep] = []
        if let template = wide.flatMap({ Self.template($0.text) }) {
            chain.append(
                .scalable(
                    ScalableCandidate(
                        template: template, label: "artwork", rank: 0, maxWidth: Self.maxSide,
                        maxHeight: Self.maxSide, isSquare: true)))
        }
        for (url, side, rank) in [(wide, 100, 1), (small, 60, 2)] {
            guard let url else { continue }
            chain.append(
                .candidate(
                    Candidate(
                        url: url.text, label: "artworkUrl\(side)", rank: rank,
                        width: side, height: side)))
        }
        return chain
    }

    /// Returns the address with placeholders for the size; `nil` if it can't be rewritten.
    static func template(_ url: String) -> String? {
        guard let slash = url.lastIndex(of: "/"),
            url[slash...].wholeMatch(of: #/\/[0-9]+x[0-9]+bb\.(jpg|png|webp)/#) != nil
        else { return nil }
        return url[...slash] + "{width}x{height}bb.jpg"
    }
}
