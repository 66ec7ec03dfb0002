import Catalog
import Fetch
import Folders
import FoundationEssentials
import Imaging
import Pipeline

extension Settings {
    /// The first contradiction between two keys, as one sentence; nil if all keys agree.
    var contradiction: String? {
        let pairs: [(String, Duration, String, Duration)] = [
            (
                "freshness.originalMin", .seconds(pipeline.freshness.originalMin),
                "freshness.originalMax", .seconds(pipeline.freshness.originalMax)
            ),
            (
                "fetch.connectTimeout", fetch.connectTimeout,
                "fetch.totalTimeout", fetch.totalTimeout
            ),
        ]
        for (lower, least, upper, most) in pairs where least > most {
            return "\(lower) is \(DurationText.print(least)), which is more than \(upper) "
                + "(\(DurationText.print(most))); lower the first or raise the second."
        }
        for own in imaging.perLevel where !levels.contains(where: { $0.name == own.level }) {
            return "imaging.perLevel names the level “\(own.level)”, which is not among levels "
                + "(\(levels.map(\.name).listed(by: "and"))); correct it or remove it."
        }
        for name in pipeline.warm.levels where !levels.contains(where: { $0.name == name }) {
            return "warm.levels names the level “\(name)”, which is not among levels "
                + "(\(levels.map(\.name).listed(by: "and"))); correct it or remove it."
        }
        if (server.tlsCertificate == nil) != (server.tlsKey == nil) {
            return "server.tlsCertificate and server.tlsKey belong together; give both or neither."
        }
        if let endpoint = s3.endpoint, !endpoint.hasPrefix("file:"), s3.bucket == nil {
            return "s3.endpoint is set and s3.bucket is not; name the bucket."
        }
        for folder in folders where isInside(cache.directory, folder.path) {
            return "cache.directory is inside of the folder \(folder.name) (\(folder.path)), which "
                + "would show what the cache stores; move one of them."
        }
        return nil
    }

    /// Returns whether a path, relative or not, leads into a directory. Links are followed as far as the
    /// path exists.
    private func isInside(_ path: String, _ directory: String) -> Bool {
        func resolved(_ path: String) -> String {
            URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path
        }
        let (inner, outer) = (resolved(path), resolved(directory))
        return inner == outer || inner.hasPrefix(outer.hasSuffix("/") ? outer : outer + "/")
    }
}
