import FoundationEssentials

/// Finds the pictures below directories.
///
/// Blocks on the disk: async code goes through ``FileThreads``.
struct PictureWalk: Sendable {
    /// Told by the first bytes, never by the name.
    var isPicture: @Sendable (_ head: [UInt8]) -> Bool
    /// Left out, so that a second run doesn't take the thumbnails of the first for pictures.
    var excluded: String

    /// Every argument in its order; a directory stands for the pictures below it, sorted by path.
    func places(of arguments: [String]) throws(LocalFileError) -> [ThumbInput.Place] {
        var places: [ThumbInput.Place] = []
        for argument in arguments {
            let place = ThumbInput.Place(argument)
            if case .file(let path) = place, LocalFile.isDirectory(path) {
                try walk(path, into: &places)
            } else {
                // What isn't there is an input that fails, like any other that can't be read.
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
            // Links to directories are not followed: they may lead back here.
            switch LocalFile.kindOfEntry(path) {
            case .directory: try walk(path, into: &places)
            case .file:
                // One that can't be read is listed as failed when its turn comes.
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
