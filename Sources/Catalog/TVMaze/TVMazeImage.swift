import Fetch

/// One of a show's images as the API gives it: posters, banners, backgrounds and the unclassified.
struct TVMazeImage: Decodable {
    private var isPoster: Bool
    private var isMain: Bool
    private var original: Resolution?
    private var medium: Resolution?

    private enum Key: String, CodingKey { case type, main, resolutions }

    private struct Resolutions: Decodable {
        var original: Resolution?
        var medium: Resolution?

        private enum Key: String, CodingKey { case original, medium }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            original = fields.lenient(Resolution.self, .original)
            medium = fields.lenient(Resolution.self, .medium)
        }
    }

    private struct Resolution: Decodable {
        var url: String
        var width: Int?
        var height: Int?

        private enum Key: String, CodingKey { case url, width, height }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            url = try fields.decode(String.self, forKey: .url)
            width = fields.pixels(.width)
            height = fields.pixels(.height)
        }
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        isPoster = fields.lenient(String.self, .type) == "poster"
        isMain = fields.lenient(Bool.self, .main) ?? false
        let resolutions = fields.lenient(Resolutions.self, .resolutions)
        original = resolutions?.original
        medium = resolutions?.medium
    }

    /// The main poster, then the first one, then the show's list picture.
    ///
    /// The main poster is often not the first, and only posters count: the first image of any kind
    /// may be a backdrop.
    static func details(ofPoster item: Item, _ images: [TVMazeImage]) -> ItemDetails {
        let posters = images.filter(\.isPoster)
        let main = posters.firstIndex(where: \.isMain)
        var chain: [ChainStep] = []
        if let main { chain += posters[main].steps(named: "main poster", rank: 0) }
        if let first = posters.first, main != 0 {
            chain += first.steps(named: "first poster", rank: 1)
        }
        chain.append(.item(Item(source: item.source, kind: "show", id: item.id)))
        var entry = CatalogEntry(item: item, title: "Poster of show \(item.id)")
        entry.link = "https://www.tvmaze.com/shows/\(item.id)"
        return ItemDetails(entry: entry, chain: chain, isComplete: false)
    }

    private func steps(named name: String, rank: Int) -> [ChainStep] {
        [(original, "original"), (medium, "medium")].compactMap { resolution, size in
            guard let resolution,
                let url = CheckedURL(resolution.url, hosts: [TVMazeHosts.images])
            else { return nil }
            return .candidate(
                Candidate(
                    url: url.text, label: "\(name) (\(size))", rank: rank,
                    width: resolution.width, height: resolution.height))
        }
    }
}
