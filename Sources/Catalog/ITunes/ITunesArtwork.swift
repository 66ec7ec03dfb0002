import Fetch

/// Where an album's artwork is.
///
/// Addresses have three forms. The last part of two of them is the size, `…/100x100bb.jpg`, and the
/// server gives any other; old ones hold it within the file's name, `….100x100-75.jpg`, and are taken
/// as they are. The rewriting is common, and not documented by Apple.
struct ITunesArtwork: Sendable {
    /// Of 100 pixels.
    private let wide: CheckedURL?
    /// Of 60 pixels.
    private let small: CheckedURL?

    /// The servers give more, up to files of many MB; thumbnails gain nothing from it.
    static let maxSide = 1_200

    init(wide: String?, small: String?) {
        self.wide = wide.flatMap { CheckedURL($0, hosts: [ITunes.imageHost]) }
        self.small = small.flatMap { CheckedURL($0, hosts: [ITunes.imageHost]) }
    }

    /// The size wanted, then both addresses as they were given.
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

    /// The address with the size left open; `nil` where it may not be rewritten.
    static func template(_ url: String) -> String? {
        guard let slash = url.lastIndex(of: "/"),
            url[slash...].wholeMatch(of: #/\/[0-9]+x[0-9]+bb\.(jpg|png|webp)/#) != nil
        else { return nil }
        return url[...slash] + "{width}x{height}bb.jpg"
    }
}
