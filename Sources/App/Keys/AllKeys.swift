extension ConfigurationKey {
    /// Every setting, in the order of `config/vitrine.yaml`.
    package static let all: [ConfigurationKey] =
        memory + cache + server + userData + levels + imaging + placeholder + sheet
        + iiif + fetch + freshness + cdn + catalog + sources + load + warm + s3 + queue + log
        + credentials

    static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })

    /// The keys by their former names.
    static let byFormerPath = Dictionary(
        uniqueKeysWithValues: all.flatMap { key in key.formerPaths.map { ($0, key) } })

    // Bounds of durations.
    static let hour = Duration.seconds(3_600)
    static let day = Duration.seconds(86_400)
    static let year = Duration.seconds(365 * 86_400)
}
