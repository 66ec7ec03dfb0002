import App
import Console
import FoundationEssentials
import Imaging

/// Finds the pictures below directories.
///
/// Its calls block on the disk, so async code uses ``FileThreads``.
struct PictureWalk: Sendable {
    /// What was left out below directories.
    struct Skipped: Sendable, Equatable {
        /// Files and others that are not pictures, and the names of the first.
        var others = 0
        var names: [String] = []
        /// Files and directories.
        var hidden = 0
        /// Links to directories that are not followed.
        var links = 0

        private static let mostNames = 3

        mutating func skip(_ name: String) {
            others += 1
            if names.count < Self.mostNames { names.append(ReadableText.oneLine(name)) }
        }

        /// One line; nil if nothing was.
        var text: String? {
            var parts: [String] = []
            if others > 0 {
                let more = others > names.count ? ", …" : ""
                parts.append(
                    "\(ReadableText.counted(others, "file")) without a picture "
                        + "(\(names.joined(separator: ", "))\(more))")
            }
            if hidden > 0 { parts.append("\(hidden) hidden") }
            if links > 0 {
                parts.append(
                    "\(ReadableText.counted(links, "link")) to directories, which --follow follows"
                )
            }
            return parts.isEmpty ? nil : "skipped: \(parts.joined(separator: "; "))"
        }
    }

    /// Detects a picture by its first bytes. Names are ignored.
    var isPicture: @Sendable (_ head: [UInt8]) -> Bool
    /// Returns whether ``ImageFormat/longHeadBytes`` of a file have to be seen.
    var needsMore: @Sendable (_ head: [UInt8]) -> Bool = { _ in false }
    /// This directory is skipped below others, so that a second run doesn't read the thumbnails of
    /// the first.
    var excluded: String
    /// Whether links to directories are followed.
    var followsLinks = false

    /// Directories on the way to the present one: a link to one of them is a cycle.
    private typealias Way = [LocalFile.Identity]

    /// Returns all inputs in order. A directory is replaced by the pictures below it, sorted by
    /// path. Hidden files and directories below it are skipped.
    func found(
        in arguments: [String]
    ) throws(LocalFileError) -> (pictures: [ThumbInput.Unnamed], skipped: Skipped) {
        var finds = Finds()
        for argument in arguments {
            let place = ThumbInput.Place(argument)
            if case .file(let path) = place, LocalFile.isDirectory(path) {
                try walk(path, below: "", Self.way(path), into: &finds)
            } else {
                // A missing file becomes an input that fails, like any other unreadable one.
                finds.pictures.append(.init(place: place))
            }
        }
        return (finds.pictures, finds.skipped)
    }

    private struct Finds {
        var pictures: [ThumbInput.Unnamed] = []
        var skipped = Skipped()
    }

    private static func way(_ path: String) -> Way {
        LocalFile.identity(path).map { [$0] } ?? []
    }

    private func walk(
        _ directory: String, below: String, _ way: Way, into found: inout Finds
    ) throws(LocalFileError) {
        for (name, isText) in try LocalFile.entries(in: directory) {
            if name.utf8.first == UInt8(ascii: ".") {
                found.skipped.hidden += 1
                continue
            }
            let path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
            func fail(_ problem: String) {
                found.pictures.append(
                    .init(
                        place: .file(path), below: below, problem: problem, isInDirectory: true))
            }
            if !isText {
                fail("The name is not UTF-8. Rename the file.")
                continue
            }
            switch LocalFile.kindOfEntry(path) {
            case .directory: try enter(path, "\(below)\(name)/", way, into: &found)
            case .file:
                // The thumbnails of an earlier run, written beside their pictures.
                if LocalFile.note(of: path).map(ThumbRun.isMark) == true { continue }
                var head: [UInt8]
                do throws(LocalFileError) {
                    head = try LocalFile.head(path, count: ImageFormat.headBytes)
                    if needsMore(head) {
                        head = try LocalFile.head(path, count: ImageFormat.longHeadBytes)
                    }
                } catch {
                    fail(error.reason)
                    continue
                }
                if isPicture(head) {
                    found.pictures.append(
                        .init(place: .file(path), below: below, isInDirectory: true))
                } else {
                    found.skipped.skip(below + name)
                }
            case .other where followsLinks && LocalFile.isDirectory(path):
                // Without this a link to a directory above would never end.
                guard let identity = LocalFile.identity(path), !way.contains(identity) else {
                    continue
                }
                try enter(path, "\(below)\(name)/", way, into: &found)
            case .other where LocalFile.isDirectory(path): found.skipped.links += 1
            case .other: found.skipped.skip(below + name)
            }
        }
    }

    private func enter(
        _ path: String, _ below: String, _ way: Way, into found: inout Finds
    ) throws(LocalFileError) {
        if LocalFile.isSame(path, excluded) { return }
        do throws(LocalFileError) {
            try walk(path, below: below, way + Self.way(path), into: &found)
        } catch {
            // Others may be readable.
            found.pictures.append(
                .init(
                    place: .file(path), below: below, problem: error.reason, isInDirectory: true))
        }
    }
}
