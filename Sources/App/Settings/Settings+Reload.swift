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
                key.shape == .secret
                    ? credentials.secret(key.path) != other.credentials.secret(key.path)
                    : key.print(self) != key.print(other)
            }
        }
    }

    /// Returns these settings with what a reload takes from others.
    package func reloaded(from fresh: Settings) -> Settings {
        var merged = self
        for key in ConfigurationKey.all where key.isReloaded {
            if key.shape == .secret {
                merged.credentials.setSecret(key.path, from: fresh.credentials)
            } else if key.shape != .tree {
                // Its own text is always valid.
                _ = key.apply(key.print(fresh), &merged)
            }
        }
        (merged.sources, merged.folders, merged.lists) = (fresh.sources, fresh.folders, fresh.lists)
        return merged
    }
}
