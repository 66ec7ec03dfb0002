import Catalog

extension Settings {
    /// Returns the paths of the keys whose values differ.
    package func changes(to other: Settings) -> [ConfigurationKey] {
        ConfigurationKey.all.filter { key in
            switch key.path {
            case "sources": sources != other.sources
            case "folders": folders != other.folders
            case "lists": lists != other.lists
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
        return merged
    }
}
