package import Imaging

/// How a contact sheet is asked for: as a picture, or as the rectangles on it.
package enum SheetForm: Sendable, Equatable {
    /// Negotiated by `Accept` where there is no format.
    case picture(ThumbnailFormat?)
    /// JSON.
    case rectangles

    /// What negotiation offers: other formats take too long for so many pixels.
    private static let formats: [ThumbnailFormat] = [.webp, .jpeg]

    /// Of the last part of a list's name; lists have no dots of their own.
    static func split(_ name: String) throws(Route.Failure) -> (name: String, SheetForm) {
        guard let dot = name.lastIndex(of: ".") else { return (name, .picture(nil)) }
        let (stem, suffix) = (String(name[..<dot]), name[name.index(after: dot)...].lowercased())
        if suffix == "json" { return (stem, .rectangles) }
        guard let format = ThumbnailFormat(fileExtension: suffix), formats.contains(format) else {
            throw .unknownFormat(suffix)
        }
        return (stem, .picture(format))
    }
}
