import Catalog
import Fetch
import Folders
import Imaging
import Logging
package import Pipeline

extension Assembly {
    /// The names of the built-in sources.
    package static let builtIn = own(Credentials()).map(\.name)

    private static func own(_ credentials: Credentials) -> [any Source] {
        [
            TVMaze(), Rijksmuseum(), ITunes(),
            Spotify(
                credentials: SpotifyCredentials(
                    clientID: credentials.spotifyClientID.value?.reveal(),
                    clientSecret: credentials.spotifyClientSecret.value?.reveal())),
            TMDB(credentials: TMDBCredentials(credentials.tmdbToken.value?.reveal())),
        ]
    }

    /// Returns the sources, built in and described. A source without credentials fails its own
    /// requests only.
    package static func sources(_ settings: Settings) -> Sources {
        sources(settings, nil, Logger(label: "vitrine"), listPatience: nil)
    }

    /// How long a request waits for the index of a list that has changed, before the last one answers.
    static let listPatience = Duration.seconds(1)

    /// - Parameters:
    ///   - watches: of folders.
    ///   - listPatience: how long the last index of a changed list may answer instead; nil for never.
    ///   - last: the settings and sources before a reload.
    static func sources(
        _ settings: Settings, _ watches: DirectoryWatches?, _ logger: Logger,
        listPatience: Duration?, keeping last: (settings: Settings, sources: Sources)? = nil
    ) -> Sources {
        /// Returns the source of the last settings if it would be the same, with what it knows.
        func source(
            _ name: String, ifEqual isEqual: (Settings) -> Bool, or make: () -> any Source
        ) -> any Source {
            // The last settings may not have had it; then there is nothing to keep.
            guard let last, isEqual(last.settings), let kept = try? last.sources.named(name) else {
                return make()
            }
            return kept
        }
        let credentials = settings.credentials
        let own = own(credentials).map { own in
            source(own.name, ifEqual: { $0.credentials.ofSources == credentials.ofSources }) { own }
        }
        let described = settings.sources.map { definition in
            source(definition.name, ifEqual: { $0.sources.contains(definition) }) {
                ConfiguredSource(definition)
            }
        }
        let folders = settings.folders.map { folder in
            source(folder.name, ifEqual: { $0.folders.contains(folder) }) {
                FolderSource(
                    FolderFiles(folder, watches: watches),
                    isPicture: { ImageFormat.ofFile(head: $0) != nil },
                    needsMore: ImageFormat.needsMore)
            }
        }
        let lists = settings.lists.map { list in
            source(list.name, ifEqual: { $0.lists.contains(list) }) {
                ListSource(
                    ListFile(
                        list, directory: listDirectory(settings), patience: listPatience
                    ) { sentence in logger.warning("\(sentence)") })
            }
        }
        return Sources(
            own + described + folders + lists + [SignedURL(hosts: settings.urlHosts)],
            offers: settings.offers)
    }

    /// Where the indexes of lists are.
    package static func listDirectory(_ settings: Settings) -> String {
        "\(settings.cacheDirectory)/lists"
    }

    static func fetchConfiguration(
        _ settings: Settings, _ sources: Sources
    ) -> FetchConfiguration {
        var configuration = settings.fetch
        // A host in the settings takes precedence over the profile of its source.
        configuration.hosts += sources.all.flatMap(\.hostPolicies)
        return configuration
    }
}

extension Credentials {
    fileprivate var ofSources: [Secret?] {
        [spotifyClientID.value, spotifyClientSecret.value, tmdbToken.value]
    }
}
