import ArgumentParser

struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache", abstract: "Show, check, tidy and purge the cache.",
        subcommands: [
            CacheStatsCommand.self, CacheVerifyCommand.self, CacheGarbageCommand.self,
            CachePurgeCommand.self, CachePinCommand.self, CacheUnpinCommand.self,
        ])
}
