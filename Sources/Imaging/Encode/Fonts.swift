import FoundationEssentials
import Glibc

/// The fonts that text in SVG is drawn with, and their settings.
enum Fonts {
    /// Where they are. Besides ``caches``, render children may read nothing else.
    static let directories = [
        "/etc/fonts", "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig",
    ]

    /// fontconfig's caches. They follow from the fonts.
    static let caches = "/var/cache/fontconfig"

    /// Stands for the fonts of this machine as they are when it is first asked for: machines with the
    /// same packages have the same. Part of every recipe, because a thumbnail's key doesn't say whether
    /// its original is an SVG.
    static let fingerprint = fingerprint(of: directories)

    /// Returns a fingerprint of the names and sizes of all files below directories. Blocks on the disk.
    static func fingerprint(of directories: [String]) -> String {
        Fingerprint.hex(directories.flatMap(files).sorted().joined(separator: "\n"))
    }

    private static func files(below directory: String) -> [String] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: directory)) ?? []
        return names.compactMap { name in
            var status = stat()
            guard stat("\(directory)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG
            else { return nil }
            return "\(name) \(status.st_size)"
        }
    }
}
