import Catalog
import Fetch
import Folders
import FoundationEssentials
import Imaging
import Objects
import Pipeline

extension Settings {
    /// What keys say that can't be true together. The first of the keys is the one to correct.
    var contradictions: [(keys: [String], sentence: String)] {
        var all: [(keys: [String], sentence: String)] = []
        func add(_ keys: [String], _ sentence: String) { all.append((keys, sentence)) }
        let (least, most) = (pipeline.freshness.originalMin, pipeline.freshness.originalMax)
        if least > most {
            add(
                ["freshness.originalMin", "freshness.originalMax"],
                "freshness.originalMin is \(DurationText.print(.seconds(least))), which is more than "
                    + "freshness.originalMax (\(DurationText.print(.seconds(most)))); lower the first "
                    + "or raise the second.")
        }
        let known = levels.map(\.name).listed(by: "and")
        for own in imaging.perLevel where !levels.contains(where: { $0.name == own.level }) {
            add(
                ["imaging.perLevel", "levels"],
                "imaging.perLevel names the level “\(own.level)”, which is not among levels "
                    + "(\(known)); correct it or remove it.")
        }
        for name in pipeline.warm.levels where !levels.contains(where: { $0.name == name }) {
            add(
                ["warm.levels", "levels"],
                "warm.levels names the level “\(name)”, which is not among levels "
                    + "(\(known)); correct it or remove it.")
        }
        if (tlsCertificate == nil) != (tlsKey == nil) {
            add(
                ["server.tlsCertificate", "server.tlsKey"],
                "server.tlsCertificate and server.tlsKey belong together; give both or neither.")
        }
        if case .s3? = s3.endpoint, s3.bucket.isEmpty {
            add(
                ["s3.endpoint", "s3.bucket"],
                "s3.endpoint is set and s3.bucket is not; name the bucket.")
        }
        for folder in folders where isInside(cacheDirectory, folder.path) {
            add(
                ["cache.directory", "folders"],
                "cache.directory is inside of the folder \(folder.name) (\(folder.path)), which "
                    + "would show what the cache stores; move one of them.")
        }
        return all
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
