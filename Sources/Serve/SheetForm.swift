package import Imaging

/// The requested form of a contact sheet: a picture, or the rectangles on it.
package enum SheetForm: Sendable, Equatable {
    /// A picture. Without a format, `Accept` decides.
    case picture(ThumbnailFormat?)
    /// The rectangles as JSON.
    case rectangles

    /// The allowed formats. Other formats take too long for so many pixels.
    private static let formats: [ThumbnailFormat] = [.webp, .jpeg]

    /// Splits the extension off the last part of a list's name. Names of lists contain no dots.
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
