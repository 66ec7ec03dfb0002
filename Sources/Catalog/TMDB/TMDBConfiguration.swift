import Fetch

/// The base URL and the sizes of pictures. The sizes change over the years.
struct TMDBConfiguration: Decodable {
    let sizes: TMDBSizes

    private enum Key: String, CodingKey { case images }

    init(from decoder: any Decoder) throws {
        sizes = try decoder.container(keyedBy: Key.self).decode(TMDBSizes.self, forKey: .images)
    }
}

/// The sizes of pictures. `w342` is 342 pixels wide and keeps the aspect ratio.
struct TMDBSizes: Decodable {
    /// `https://image.tmdb.org/t/p/`.
    private var base: String
    private var posters: [String]
    private var backdrops: [String]

    private enum Key: String, CodingKey {
        case base = "secure_base_url"
        case posters = "poster_sizes"
        case backdrops = "backdrop_sizes"
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        let given = try fields.decode(String.self, forKey: .base)
        guard let url = CheckedURL(given, hosts: [TMDBHosts.images]), url.text.hasSuffix("/") else {
            throw fields.mismatch(.base, "not a URL on TMDB's image host")
        }
        base = url.text
        posters = fields.lenientArray(String.self, .posters)
        backdrops = fields.lenientArray(String.self, .backdrops)
    }

    /// Returns no candidates if the path is invalid.
    func candidates(poster path: String, rank: Int) -> [Candidate] {
        candidates(path, named: "poster", sizes: posters, rank: rank)
    }

    /// Returns no candidates if the path is invalid.
    func candidates(backdrop path: String, rank: Int) -> [Candidate] {
        candidates(path, named: "backdrop", sizes: backdrops, rank: rank)
    }

    private func candidates(
        _ path: String, named name: String, sizes: [String], rank: Int
    ) -> [Candidate] {
        guard Self.isPath(path) else { return [] }
        return sizes.compactMap { size in
            let width = size.hasPrefix("w") ? Int(size.dropFirst()) : nil
            // Candidates are chosen by width, so sizes by height (`h632`) are skipped.
            guard width.map(Bounds.side.contains) ?? (size == "original"),
                let url = CheckedURL("\(base)\(size)\(path)", hosts: [TMDBHosts.images])
            else { return nil }
            return Candidate(url: url.text, label: "\(name) \(size)", rank: rank, width: width)
        }
    }

    /// Returns whether the path is one name below the base, `/NNxYkU70HPurnNCSiCjYAmacwm.jpg`, and
    /// can't leave it.
    private static func isPath(_ path: String) -> Bool {
        guard path.first == "/", path.count > 1, !path.contains("..") else { return false }
        return path.unicodeScalars.dropFirst().allSatisfy {
            $0.isASCII
                && ($0.properties.isAlphabetic || ("0"..."9").contains($0)
                    || $0 == "." || $0 == "-" || $0 == "_")
        }
    }
}
