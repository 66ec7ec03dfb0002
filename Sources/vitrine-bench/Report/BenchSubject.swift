import ArgumentParser

/// What `vitrine bench` can measure.
enum BenchSubject: String, Sendable, Codable, CaseIterable, ExpressibleByArgument {
    case thumbnails, fetch, serve, warm, store

    /// Time with `--quick`. All together leave some seconds of five minutes for the last rounds.
    var quickBudget: Duration {
        switch self {
        case .thumbnails: .seconds(75)
        case .serve: .seconds(120)
        case .fetch: .seconds(40)
        case .warm: .seconds(25)
        case .store: .seconds(15)
        }
    }
}
