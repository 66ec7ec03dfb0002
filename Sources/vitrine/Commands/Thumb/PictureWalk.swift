import App
import FoundationEssentials

/// Finds the pictures below directories.
///
/// Its calls block on the disk, so async code uses ``FileThreads``.
struct PictureWalk: Sendable {
    /// Detects a picture by its first bytes. Names are ignored.
    var isPicture: @Sendable (_ head: [UInt8]) -> Bool
    /// This directory is skipped, so that a second run doesn't read the thumbnails of the first.
    var excluded: String

    /// Returns all inputs in order. A directory is replaced by the pictures below it, sorted by
    /// path.
    func places(of arguments: [String]) throws(LocalFileError) -> [ThumbInput.Place] {
        var places: [ThumbInput.Place] = []
        for argument in arguments {
            let place = ThumbInput.Place(argument)
            if case .file(let path) = place, LocalFile.isDirectory(path) {
                try walk(path, into: &places)
            } else {
                // A missing file becomes an input that fails, like any other unreadable one.
                places.append(place)
            }
        }
        return places
    }

    private func walk(_ directory: String, into places: inout [ThumbInput.Place])
        throws(LocalFileError)
    {
        if LocalFile.isSame(directory, excluded) { return }
        for name in try LocalFile.names(in: directory) {
            let path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
            // Links to directories are not followed, because they may form a cycle.
            switch LocalFile.kindOfEntry(path) {
            case .directory: try walk(path, into: &places)
            case .file:
                // An unreadable file is reported as failed when it is processed.
                let head: [UInt8]
                do throws(LocalFileError) {
                    head = try LocalFile.head(path, count: 4_096)
                } catch {
                    places.append(.file(path))
                    continue
                }
                if isPicture(head) { places.append(.file(path)) }
            case .other: continue
            }
        }
    }
}
