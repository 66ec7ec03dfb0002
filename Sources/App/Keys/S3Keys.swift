import Catalog
import Objects
import Pipeline

extension ConfigurationKey {
    static let s3: [Self] =
        [
            .single(
                "s3.endpoint", \.s3.endpoint, .optional(.endpoint),
                "Endpoint of an S3-compatible store that several nodes share, at any address, "
                    + "or file:///PATH for a directory. Without one, this machine works alone."
            ).hidingUserInfo(),
            .single(
                "s3.region", \.s3.region,
                .text("the name of a region", where: S3Configuration.isRegion),
                "Region of the bucket. Stores other than AWS usually accept us-east-1."),
            .single(
                "s3.bucket", \.s3.bucket,
                .text("the name of a bucket, or \"\" for none") {
                    $0.isEmpty || S3Configuration.isBucket($0)
                },
                "The bucket, which must exist. This service gets, puts, deletes and lists "
                    + "objects in it."),
            .single(
                "s3.prefix", \.s3.prefix,
                .prefix,
                "Prefix of each key, for a bucket that you share with other programs."),
            .single(
                "s3.pathStyle", \.s3.isPathStyle, .bool,
                "Whether the bucket is a part of the path (Ceph, MinIO, Swift) and not of the host "
                    + "name (AWS)."),
            .single(
                "s3.credentials", \.s3.credentials, .choice,
                "auto takes the credentials below, else those of a web identity (IRSA), else of "
                    + "the container (ECS, EKS Pod Identity), else of the machine (EC2, "
                    + "IMDSv2); see docs/scaling.md. webIdentity, container and instance take "
                    + "only these. none signs nothing."),
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
}

extension ValueSyntax where Value == StoreEndpoint {
    fileprivate static var endpoint: Self {
        Self(
            expected: "https://HOST, http://HOST:PORT or file:///PATH",
            parse: { StoreEndpoint($0) }, print: \.text)
    }
}

extension ValueSyntax where Value == String {
    /// A prefix of keys, which may be empty.
    fileprivate static var prefix: Self {
        .text(
            "parts of letters, digits, hyphens, dots and underscores with slashes between them, or "
                + "\"\" for none", where: S3Configuration.isPrefix)
    }
}
