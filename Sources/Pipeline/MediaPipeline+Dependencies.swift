package import Fetch
package import Folders
package import FoundationEssentials
package import Imaging
package import Logging
package import Objects
package import Store

extension MediaPipeline {
    /// The parts that the pipeline uses.
    package struct Dependencies: Sendable {
        package var sources: Sources
        package var fetch: any Fetching
        package var renderer: Renderer
        package var blobs: BlobStore
        package var index: Index
        package var journal: RenderJournal
        package var userData: UserData
        package var logger: Logger
        /// What several nodes share; nil on a machine that works alone.
        package var objects: (any ObjectStore)?
        package var metrics = PipelineMetrics()
        /// Returns the load that a host may receive, for forecasts.
        package var hostPolicy: @Sendable (String) -> HostPolicy = { _ in HostPolicy() }
        /// Tells other nodes of purges; nil for a single machine.
        package var purgeBroadcast: (any PurgeBroadcast)?
        /// Tells caches in front of purges; nil without any.
        package var purgeHook: (any PurgeHook)?
        /// Reports changes of files in folders; nil if nothing is kept in memory, or no folder is shown.
        package var watches: DirectoryWatches?
        /// The wall clock.
        package var now: @Sendable () -> Date = { Date() }

        package init(
            sources: Sources, fetch: any Fetching, renderer: Renderer,
            blobs: BlobStore, index: Index, journal: RenderJournal, userData: UserData,
            logger: Logger
        ) {
            self.sources = sources
            self.fetch = fetch
            self.renderer = renderer
            self.blobs = blobs
            self.index = index
            self.journal = journal
            self.userData = userData
            self.logger = logger
        }
    }
}
