/// An album's artwork on Apple's image host: where it is, and in which sizes.
struct ITunesArtwork: Sendable, Equatable {
    /// Number of the album.
    let album: Int

    private static let names = OpaqueName(salt: 21, alphabet: .hexadecimal, length: 32)

    static let hosts = (1...5).map { "is\($0)-ssl.mzstatic.com" }

    /// Pixels a side of what the label handed in; nothing larger is given.
    var native: Int { album % 3 == 0 ? 3_000 : 1_500 }

    var isFixed: Bool { ITunesQuirk(album: album) == .fixedArtwork }

    /// `pixels` is 30, 60 or 100 in what the API says.
    func url(_ pixels: Int) -> String {
        let host = Self.hosts[album % 5]
        return
            "https://\(host)\(folder)\(isFixed ? ".\(fixedFile(pixels))" : "/\(pixels)x\(pixels)bb.jpg")"
    }

    /// Everything before the size.
    private var folder: String {
        let name = Self.names.name(album)
        func part(_ from: Int, _ count: Int) -> Substring { name.dropFirst(from).prefix(count) }
        let uuid = [part(0, 8), part(8, 4), part(12, 4), part(16, 4), part(20, 12)]
            .joined(separator: "-")
        let folders = "v4/\(part(0, 2))/\(part(2, 2))/\(part(4, 2))/\(uuid)"
        if isFixed { return "/image/pf/us/r30/Music4/\(folders)/mzi.\(part(6, 8))" }
        // What was handed in between 2021 and 2022 has no name of its own.
        return album % 5 == 2
            ? "/image/thumb/Music124/\(folders)/source"
            : "/image/thumb/Music115/\(folders)/\(880_000_000_000 + album * 104_729).jpg"
    }

    private func fixedFile(_ pixels: Int) -> String {
        "\(pixels)x\(pixels)-\(pixels == 100 ? 75 : 50).jpg"
    }

    /// What a path asks for.
    struct Request: Sendable, Equatable {
        var artwork: ITunesArtwork
        /// Pixels a side at most.
        var pixels: Int
        var format: String
    }

    /// Returns nil if the path does not belong to artwork.
    static func request(path: String) -> Request? {
        let parts = path.split(separator: "/")
        guard
            let uuid = parts.first(where: { $0.count == 36 }),
            let album = names.number(uuid.filter { $0 != "-" })
        else { return nil }
        let artwork = ITunesArtwork(album: album)
        guard path.hasPrefix(artwork.folder) else { return nil }
        let rest = path.dropFirst(artwork.folder.count)
        if artwork.isFixed {
            return [30, 60, 100].first { rest == ".\(artwork.fixedFile($0))" }
                .map { Request(artwork: artwork, pixels: $0, format: "jpg") }
        }
        guard let match = rest.wholeMatch(of: /\/(\d{1,6})x(\d{1,6})bb\.(jpg|png|webp)/),
            let width = Int(match.1), let height = Int(match.2), width > 0, height > 0
        else { return nil }
        return Request(
            artwork: artwork, pixels: min(width, height, artwork.native), format: String(match.3))
    }
}
