extension ConfigurationKey {
    /// Every setting, in the order of `config/vitrine.yaml`.
    package static let all = common + further

    /// What most operators set first.
    static let common =
        levels + memory + cache + server + sources + credentials + userData + warm + log

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
