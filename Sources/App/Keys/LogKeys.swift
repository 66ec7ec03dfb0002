import Serve

extension ConfigurationKey {
    static let log: [Self] = [
        .single(
            "log.level", \.log.level, .choice,
            "Minimum log level."
        ).reloaded(),
        .single(
            "log.format", \.log.format, .choice,
            "text for people, json (one object per line) for machines. Both go to standard "
                + "error."),
        .single(
            "log.access", \.server.accessLog, .choice,
            "Which requests are logged at level info: slow is all except hits in memory or in a "
                + "known file. At level debug all are logged, also /healthz, /readyz and "
                + "/metrics."),
    ]
}
