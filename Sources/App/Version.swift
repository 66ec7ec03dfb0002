import CLinux
import Fetch
import Hashing
import Imaging
import Serve
import Store

/// What this program is made of.
package enum Version {
    /// The number of the release, by semantic versioning. `CHANGELOG.md` has a section of the same
    /// name; packages, manual pages and the `User-Agent` take it from here.
    package static let number = "1.0.0-rc.1"

    /// Where the package has the documentation.
    package static let documentation = "file:///usr/share/doc/vitrine/docs/start.md"

    /// The commit that the program was built from, with "-dirty" if files had changed since; nil if
    /// the build didn't know it.
    package static var commit: String? {
        var bytes = [CChar](repeating: 0, count: Int(VITRINE_COMMIT_SIZE) + 1)
        vitrine_commit(&bytes)
        let text = String(decoding: bytes.prefix { $0 > 0x20 }.map(UInt8.init), as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    /// Returns the program and the libraries that it has loaded, a line each. Opens libvips, which
    /// takes 20 ms.
    package static func report() -> String {
        let commit = commit.map { " (commit \($0))" } ?? ""
        let pictures: [(name: String, version: String)]
        do {
            pictures = try Renderer.libraryVersions()
        } catch {
            pictures = [("libvips", "\(error)")]
        }
        let others: [(name: String, version: String)] = [
            ("libcurl", Fetcher.libraryVersion), ("OpenSSL", SHA256.libraryVersion),
            ("nghttp2", Server.http2LibraryVersion), ("SQLite", Index.libraryVersion),
        ]
        let lines = (pictures + others).map { "\($0.name) \($0.version)" }
        return (["vitrine \(number)\(commit)"] + lines).joined(separator: "\n")
    }
}
