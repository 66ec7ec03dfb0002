import Catalog
import Objects

extension SourceNode {
    private static let location = "location"

    /// Whether it describes a bucket: its text is a location, or it has one.
    var isBucket: Bool {
        get throws(ConfigurationError) {
            if isMapping { return try members().contains { $0.name == Self.location } }
            if isList || isEmpty { return false }
            return try text().hasPrefix(BucketDefinition.scheme)
        }
    }

    /// Reads a folder that is a bucket.
    func bucket(_ name: String) throws(ConfigurationError) -> BucketDefinition {
        guard isMapping else { throw withoutCredentials }
        let members = try self.members([
            Self.location, "title", "endpoint", "region", "pathStyle", "credentials", "hidden",
            "recheck", "keepOriginals",
        ])
        guard let place = members[Self.location] else {
            throw error("has no location; name the bucket, such as s3://bucket/prefix.")
        }
        let (bucket, prefix) = try place.parsed(
            "s3://BUCKET or s3://BUCKET/PREFIX", BucketDefinition.location)
        var store = S3Configuration()
        store.bucket = bucket
        if let region = members["region"] {
            store.region = try region.parsed("the name of a region") { text in
                S3Configuration.isRegion(text) ? text : nil
            }
        }
        let endpoint = try members["endpoint"].map { node throws(ConfigurationError) in
            try node.parsed("https://HOST or http://HOST:PORT", S3Service.init)
        }
        guard let service = endpoint ?? S3Service.amazon(region: store.region) else {
            throw error("has no endpoint; name the store, such as https://storage.googleapis.com.")
        }
        // The certificate of Amazon's hosts has no names with further dots.
        store.isPathStyle =
            try members["pathStyle"]?.flag() ?? (endpoint != nil || bucket.contains("."))
        guard let credentials = members["credentials"] else { throw withoutCredentials }
        var definition = BucketDefinition(
            name: name, title: try members["title"]?.text() ?? name, service: service, store: store,
            prefix: prefix)
        if credentials.isMapping {
            definition.keys = try credentials.keys()
        } else {
            definition.store.credentials = try credentials.parsed(
                "none, instance, container, webIdentity, or keys below it"
            ) { text in
                S3Configuration.Credentials(rawValue: text).flatMap { $0 == .auto ? nil : $0 }
            }
        }
        definition.showsHidden = try members["hidden"]?.flag() ?? false
        definition.keepsOriginals = try members["keepOriginals"]?.flag() ?? false
        if let recheck = members["recheck"] { definition.recheck = try recheck.recheck() }
        return definition
    }

    private var withoutCredentials: ConfigurationError {
        error(
            "has no credentials; name the files of a key (accessKeyIDFile and "
                + "secretAccessKeyFile), or one of none, instance, container and webIdentity.")
    }

    private func keys() throws(ConfigurationError) -> BucketDefinition.Keys {
        let names = ["accessKeyID", "secretAccessKey", "sessionToken"]
        let members = try self.members(names.map { $0 + "File" } + names)
        var parts: [String: BucketDefinition.Keys.Part] = [:]
        for name in names {
            if let file = members[name + "File"] {
                guard members[name] == nil else {
                    throw error("has \(name) and \(name)File; give one of them.")
                }
                parts[name] = .init(value: try file.secretOfFile())
            } else if let node = members[name] {
                guard node.isMapping, let variable = try node.members(["env"])["env"] else {
                    throw node.error(
                        "is a secret and must not stand in this file; write {env: VITRINE_…}, or "
                            + "name a file that holds it in \(name)File.")
                }
                parts[name] = .init(variable: try variable.variableName())
            }
        }
        guard let id = parts["accessKeyID"], let secret = parts["secretAccessKey"] else {
            throw error("needs accessKeyIDFile and secretAccessKeyFile.")
        }
        return .init(
            accessKeyID: id, secretAccessKey: secret, sessionToken: parts["sessionToken"])
    }

    private func secretOfFile() throws(ConfigurationError) -> Secret {
        let path = try text("the path of a file")
        let text: String
        do throws(LocalFileError) {
            text = try LocalFile.readSecret(path)
        } catch {
            throw self.error("can't be used: \(error)")
        }
        guard !text.isEmpty else { throw error("is an empty file; write the secret into it.") }
        return Secret(text)
    }
}
