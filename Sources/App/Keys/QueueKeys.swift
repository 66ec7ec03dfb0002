import WorkQueue

extension ConfigurationKey {
    static let queue: [Self] =
        [
            .single(
                "queue", \.queue, .optional(.queue),
                "Queue of a fleet: nats://HOST:4222, several separated by commas, with /NAME for one of "
                    + "several fleets. Without one, this machine works alone."
            ).hidingUserInfo(),
            .single(
                "nats.credentialsFile", \.natsCredentialsFile,
                .optional(.text("the path of a file")),
                "Credentials file of the NATS servers (JWT and key), instead of user and password."),
        ]
        + secret(
            "nats.user", \.credentials.natsUser,
            variable: "NATS_USER", "the user of the NATS servers, if their URLs have none.")
        + secret(
            "nats.password", \.credentials.natsPassword, variable: "NATS_PASSWORD",
            "the password of the NATS servers.")
}

extension ValueSyntax where Value == QueueAddress {
    static var queue: Self {
        Self(
            expected: "nats://HOST:4222,nats://HOST:4222",
            parse: { text in
                do throws(QueueError) {
                    return try QueueAddress(text)
                } catch {
                    return nil
                }
            },
            print: { $0.secretText })
    }
}
