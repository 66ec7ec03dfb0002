extension ConfigurationKey {
    /// Every setting, in the order of `config/vitrine.yaml`.
    package static let all: [ConfigurationKey] =
        memory + cache + server + userData + favorites + levels + imaging + placeholder + sheet
        + iiif + fetch + freshness + cdn + catalog + sources + load + warm + s3 + queue + log
        + credentials

    static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })

    /// The keys by their former names.
    static let byFormerPath = Dictionary(
        uniqueKeysWithValues: all.flatMap { key in key.formerPaths.map { ($0, key) } })

    /// Keys of earlier versions that set nothing any more, and what became of them. They are accepted until
    /// 1.0, with a warning.
    package static let removed = [
        "idle.formats":
            "The service makes no formats when it is idle; use --formats in an entry of warm.jobs.",
        "server.hitPrecedence":
            "The service no longer asks for real-time scheduling; remove this setting.",
    ]

    // Bounds of durations.
    static let hour = Duration.seconds(3_600)
    static let day = Duration.seconds(86_400)
    static let year = Duration.seconds(365 * 86_400)
}
