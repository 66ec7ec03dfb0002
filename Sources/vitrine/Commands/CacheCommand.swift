import ArgumentParser

struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache", abstract: "Look after the cache.",
        subcommands: [
            CacheStatsCommand.self, CacheVerifyCommand.self, CachePurgeCommand.self,
        ])
}
