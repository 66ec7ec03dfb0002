import Serve

extension ConfigurationKey {
    static let log: [Self] = [
        .single("log.level", \.log.level, .choice, "The least severe that is written."),
        .single(
            "log.format", \.log.format, .choice,
            "text for people, json (an object a line) for machines; both to standard error."),
        .single(
            "log.access", \.log.access, .choice,
            "Which requests have a line at level info: slow is all that are no hits in memory. At "
                + "debug all have; good answers of /healthz, /readyz and /metrics only there."),
    ]
}
