import ArgumentParser

struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache", abstract: "Look after the cache.",
        subcommands: [
            CacheStatsCommand.self, CacheVerifyCommand.self, CacheGarbageCommand.self,
            CachePurgeCommand.self, CachePinCommand.self, CacheUnpinCommand.self,
        ])
}
