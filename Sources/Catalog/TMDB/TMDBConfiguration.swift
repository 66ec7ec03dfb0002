import Fetch

/// Where pictures are and in which sizes, as the API tells; the sizes change over the years.
struct TMDBConfiguration: Decodable {
    let sizes: TMDBSizes

    private enum Key: String, CodingKey { case images }

    init(from decoder: any Decoder) throws {
        sizes = try decoder.container(keyedBy: Key.self).decode(TMDBSizes.self, forKey: .images)
    }
}

/// The sizes of the pictures: `w342` is 342 pixels wide, the height follows.
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
            throw fields.mismatch(.base, "no address of TMDB's pictures")
        }
        base = url.text
        posters = fields.lenientArray(String.self, .posters)
        backdrops = fields.lenientArray(String.self, .backdrops)
    }

    /// None where the path can't be one of a picture.
    func candidates(poster path: String, rank: Int) -> [Candidate] {
        candidates(path, named: "poster", sizes: posters, rank: rank)
    }

    /// None where the path can't be one of a picture.
    func candidates(backdrop path: String, rank: Int) -> [Candidate] {
        candidates(path, named: "backdrop", sizes: backdrops, rank: rank)
    }

    private func candidates(
        _ path: String, named name: String, sizes: [String], rank: Int
    ) -> [Candidate] {
        guard Self.isPath(path) else { return [] }
        return sizes.compactMap { size in
            let width = size.hasPrefix("w") ? Int(size.dropFirst()) : nil
            // By height (`h632`) no candidate can be chosen, and others mean nothing here.
            guard width.map(Bounds.side.contains) ?? (size == "original"),
                let url = CheckedURL("\(base)\(size)\(path)", hosts: [TMDBHosts.images])
            else { return nil }
            return Candidate(url: url.text, label: "\(name) \(size)", rank: rank, width: width)
        }
    }

    /// `/NNxYkU70HPurnNCSiCjYAmacwm.jpg`: one name below the base, which it must not leave.
    private static func isPath(_ path: String) -> Bool {
        guard path.first == "/", path.count > 1, !path.contains("..") else { return false }
        return path.unicodeScalars.dropFirst().allSatisfy {
            $0.isASCII
                && ($0.properties.isAlphabetic || ("0"..."9").contains($0)
                    || $0 == "." || $0 == "-" || $0 == "_")
        }
    }
}
