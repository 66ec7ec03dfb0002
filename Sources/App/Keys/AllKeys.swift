import Catalog

extension ConfigurationKey {
    /// Every setting, in the order of `config/vitrine.yaml`.
    package static let all = common + further

    /// What most operators set first.
    static let common =
        levels + memory + cache + server + sources + blocked + credentials + userData + warm + log

    /// What few operators need.
    static let further =
        imaging + placeholder + iiif + fetch + freshness + catalog + cdn + s3 + queue

    static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })

    /// The keys by their former names.
    static let byFormerPath = Dictionary(
        uniqueKeysWithValues: all.flatMap { key in key.formerPaths.map { ($0, key) } })

    // Bounds of durations.
    static let hour = Duration.seconds(3_600)
    static let day = Duration.seconds(86_400)
    static let year = Duration.seconds(365 * 86_400)
}

extension Settings {
    /// Returns the paths of the keys whose values differ.
    package func changes(to other: Settings) -> [ConfigurationKey] {
        ConfigurationKey.all.filter { key in
            switch key.path {
            case "sources": sources != other.sources
            case "folders": folders != other.folders
            case "lists": lists != other.lists
            case "blocked": blockedFile != other.blockedFile || blocked != other.blocked
            default:
                if let place = key.credential {
                    self[keyPath: place].value != other[keyPath: place].value
                } else {
                    key.print(self) != key.print(other)
                }
            }
        }
    }

    /// Returns these settings with what a reload takes from others.
    package func reloaded(from fresh: Settings) -> Settings {
        var merged = self
        for key in ConfigurationKey.all where key.isReloaded {
            if let place = key.credential {
                merged[keyPath: place].value = fresh[keyPath: place].value
            } else if key.shape != .tree {
                // Its own text is always valid.
                _ = key.apply(key.print(fresh), &merged)
            }
        }
        (merged.sources, merged.folders, merged.lists) = (fresh.sources, fresh.folders, fresh.lists)
        merged.blocked = fresh.blocked
        return merged
    }
}
