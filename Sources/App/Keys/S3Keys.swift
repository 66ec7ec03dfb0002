import Catalog
import Objects
import Pipeline

extension ConfigurationKey {
    static let s3: [Self] =
        [
            .single(
                "s3.endpoint", \.s3.endpoint, .optional(.endpoint),
                "Endpoint of an S3-compatible store that several nodes share, or file:///PATH for a "
                    + "directory. Any address and port; only the store is asked there. Without one, "
                    + "this machine works alone."),
            .single(
                "s3.region", \.s3.region, .text("the name of a region", where: isRegion),
                "Region of the bucket. Stores of other makers usually accept us-east-1."),
            .single(
                "s3.bucket", \.s3.bucket,
                .optional(
                    .text("the name of a bucket", where: S3Configuration.isBucket)),
                "The bucket, which must exist. Its owner allows this service to get, put, delete and "
                    + "list objects."),
            .single(
                "s3.prefix", \.s3.prefix,
                .prefix,
                "Prefix of each key, for a bucket that you share with other programs."),
            .single(
                "s3.pathStyle", \.s3.pathStyle, .bool,
                "Whether the bucket is a part of the path (Ceph, MinIO, Swift) and not of the host "
                    + "name (AWS)."),
            .single(
                "s3.credentials", \.s3.credentials, .choice,
                "auto takes the credentials below, else those of a role for a web identity (IRSA: "
                    + "AWS_ROLE_ARN, AWS_WEB_IDENTITY_TOKEN_FILE), else those of the container (ECS, "
                    + "EKS Pod Identity), else those of the machine (EC2, IMDSv2). webIdentity, "
                    + "container and instance take only these. none signs nothing."),
        ]
        + secret(
            "s3.accessKeyID", \.credentials.s3AccessKeyID, variable: "AWS_ACCESS_KEY_ID",
            "the ID of the store's access key.")
        + secret(
            "s3.secretAccessKey", \.credentials.s3SecretAccessKey,
            variable: "AWS_SECRET_ACCESS_KEY",
            "the store's secret access key.")
        + secret(
            "s3.sessionToken", \.credentials.s3SessionToken, variable: "AWS_SESSION_TOKEN",
            "the session token of a temporary access key.")

    private static func isRegion(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte)
                    || (0x41...0x5a).contains(byte) || byte == 0x2d
            }
    }
}

extension ValueSyntax where Value == String {
    /// The endpoint of a shared store.
    fileprivate static var endpoint: Self {
        .text(
            "https://HOST, http://HOST:PORT or file:///PATH",
            where: { text in
                text.hasPrefix("file:///")
                    || S3Configuration(endpoint: text, bucket: "bucket") != nil
            })
    }

    /// A prefix of keys, which may be empty.
    fileprivate static var prefix: Self {
        Self(
            expected: "parts of letters, digits, hyphens, dots and underscores with slashes "
                + "between them, or \"\" for none",
            parse: { S3Configuration.isPrefix($0) ? $0 : nil }, print: { $0 })
    }
}
