import PlayedAPIs

/// One file of Spotify's image host: a cover or a portrait in one of its sizes.
struct SpotifyImage: Sendable, Hashable {
    enum Subject: Sendable, Hashable {
        case artist(Int)
        case album(Int)
    }

    let subject: Subject
    /// Its place among the subject's images, the widest first.
    let index: Int
    let width: Int
    let height: Int

    /// All images of a subject, the widest first.
    static func all(of subject: Subject) -> [SpotifyImage] {
        sizes(of: subject).enumerated().map { index, size in
            SpotifyImage(subject: subject, index: index, width: size.0, height: size.1)
        }
    }

    var url: String { "https://\(SpotifyDocument.imageHost)\(path)" }

    /// `/image/` and 40 digits; the first 16 tell kind and size, but for those of old artists.
    var path: String {
        switch subject {
        case .album(let number): "/image/\(Self.covers[index])\(Self.coverNames.name(number))"
        case .artist(let number) where isUneven:
            "/image/\(Self.oldNames.name(number * 4 + index))"
        case .artist(let number):
            "/image/\(Self.portraits[index])\(Self.portraitNames.name(number))"
        }
    }

    /// Returns nil if the path does not belong to an image.
    init?(path: String) {
        let parts = path.split(separator: "/")
        guard parts.count == 2, parts[1].count == 40 else { return nil }
        let (prefix, rest) = (String(parts[1].prefix(16)), parts[1].dropFirst(16))
        let found: (Subject, Int)? =
            if let index = Self.covers.firstIndex(of: prefix) {
                Self.coverNames.number(rest).map { (.album($0), index) }
            } else if let index = Self.portraits.firstIndex(of: prefix) {
                Self.portraitNames.number(rest).map { (.artist($0), index) }
            } else {
                Self.oldNames.number(parts[1]).map { (.artist($0 / 4), $0 % 4) }
            }
        guard let (subject, index) = found else { return nil }
        let images = Self.all(of: subject)
        guard images.indices.contains(index), images[index].path == path else { return nil }
        self = images[index]
    }

    private init(subject: Subject, index: Int, width: Int, height: Int) {
        self.subject = subject
        self.index = index
        self.width = width
        self.height = height
    }

    private var isUneven: Bool { Self.quirk(of: subject) == .uneven }

    static func quirk(of subject: Subject) -> SpotifyQuirk? {
        switch subject {
        case .artist(let number): SpotifyQuirk(artist: number)
        case .album(let number): SpotifyQuirk(album: number)
        }
    }

    private static func sizes(of subject: Subject) -> [(Int, Int)] {
        switch (subject, quirk(of: subject)) {
        case (_, .noImages): []
        case (.artist, .uneven): [(1_000, 1_333), (640, 853), (200, 267), (64, 85)]
        case (.artist(let number), _):
            number % 3 == 0
                ? [(640, 640), (300, 300), (64, 64)] : [(640, 640), (320, 320), (160, 160)]
        case (.album, .uneven): [(640, 580), (300, 272), (64, 58)]
        case (.album, _): [(640, 640), (300, 300), (64, 64)]
        }
    }

    private static let covers = ["ab67616d0000b273", "ab67616d00001e02", "ab67616d00004851"]
    private static let portraits = ["ab6761610000e5eb", "ab67616100005174", "ab6761610000f178"]
    private static let coverNames = OpaqueName(salt: 31, alphabet: .hexadecimal, length: 24)
    private static let portraitNames = OpaqueName(salt: 32, alphabet: .hexadecimal, length: 24)
    private static let oldNames = OpaqueName(salt: 33, alphabet: .hexadecimal, length: 40)
}
