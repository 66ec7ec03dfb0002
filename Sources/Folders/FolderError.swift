/// Why something below a folder can't be had.
package enum FolderError: Error, Sendable, Equatable, CustomStringConvertible {
    /// It doesn't exist, is neither a file nor a directory, is hidden, or lies behind a link that leads out.
    case notFound
    /// It has more bytes than `limit`.
    case tooLarge(limit: Int)
    /// It changed again and again while it was read.
    case busy
    /// The kernel can't keep paths inside a directory.
    case unsupported
    /// The folder's own directory is missing or can't be read.
    case noFolder(name: String, reason: String)
    case unreadable(reason: String)

    package var description: String {
        switch self {
        case .notFound: "There is no such file."
        case .tooLarge(let limit): "The file is larger than \(limit) bytes."
        case .busy: "The file is being written."
        case .unsupported:
            "Folders need openat2, which Linux has since 5.6 and a sandbox may forbid."
        // Without its path, because clients read it, too.
        case .noFolder(let name, let reason): "The folder “\(name)” can't be read: \(reason)."
        case .unreadable(let reason): "The file can't be read: \(reason)."
        }
    }
}
