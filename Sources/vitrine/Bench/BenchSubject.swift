import ArgumentParser

/// What `vitrine bench` can measure.
enum BenchSubject: String, Sendable, Codable, CaseIterable, ExpressibleByArgument {
    case thumbnails, fetch, serve, warm, store, memory
}
