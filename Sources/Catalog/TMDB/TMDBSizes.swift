import Fetch
import JSON

/// The address and the sizes of pictures, which change over the years. `w342` is 342 pixels wide and keeps the
/// aspect ratio.
struct TMDBSizes {
    static let pictureHost = HostPattern("image.tmdb.org")

    /// `https://image.tmdb.org/t/p/`.
    private let base: String
    private let json: JSON

    /// Reads TMDB's configuration; nil without an address on TMDB's image host.
    init?(_ configuration: JSON) {
        json = configuration["images"]
        guard let base = json["secure_base_url"].url(on: Self.pictureHost), base.hasSuffix("/")
        else { return nil }
        self.base = base
    }

    /// Returns a poster or backdrop in every size; none if the path is missing or invalid.
    func candidates(_ path: String?, _ kind: String, rank: Int) -> [ChainStep] {
        guard let path, Self.isPath(path) else { return [] }
        return (json["\(kind)_sizes"].elements ?? []).compactMap(\.string).compactMap { size in
            let width = size.hasPrefix("w") ? Int(size.dropFirst()) : nil
            // Candidates are chosen by width, so sizes by height (`h632`) are skipped.
            guard width.map(Bounds.side.contains) ?? (size == "original") else { return nil }
            return JSON.text("\(base)\(size)\(path)")
                .candidate(on: Self.pictureHost, "\(kind) \(size)", rank: rank, width: width)
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
