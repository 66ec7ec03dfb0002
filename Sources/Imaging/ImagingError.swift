/// Why there is no thumbnail. `description` is one sentence for a person.
package enum ImagingError: Error, Equatable {
    /// The bytes are no picture: `looksLike` is "an HTML page", "JSON", "nothing (0 bytes)", ….
    case notAnImage(looksLike: String)
    /// A picture, of a format that is not read here.
    case unsupported(format: String)
    /// Truncated or corrupt; `reason` is the decoder's, in words.
    case broken(reason: String)
    /// Over a configured limit; `reason` names the limit, its value and what the picture has.
    case overLimit(reason: String)
    /// The queue for render threads is full.
    case overloaded
    case cancelled
    /// The renderer is shutting down.
    case stopped
    /// A renderer in a process of its own was brought down by the picture.
    case crashed(reason: String)
    /// The picture took longer than a renderer is given.
    case tooSlow(seconds: Double)
    /// It brought a renderer down before; `reason` is the sentence of then.
    case quarantined(reason: String)
    /// libvips or its setting is at fault, not the picture.
    case misconfigured(reason: String)
}

extension ImagingError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAnImage(let looksLike): "This is not a picture but \(looksLike)."
        case .unsupported(let format):
            "\(format) is not read here: send \(Self.formats)."
        case .broken(let reason): "The picture is broken: \(reason)."
        case .overLimit(let reason): "The picture is too large: \(reason)."
        case .overloaded: "Too many pictures are waiting to be rendered: try again later."
        case .cancelled: "Nobody waits for this picture any more."
        case .stopped: "The renderer is shutting down."
        case .crashed(let reason): "The picture brought its renderer down: \(reason)."
        case .tooSlow(let seconds):
            "The picture was not rendered within the \((seconds * 10).rounded() / 10) s it was given."
        case .quarantined(let reason):
            "The picture is not tried again until the renderer changes: \(reason)"
        case .misconfigured(let reason): "Pictures can't be rendered: \(reason)."
        }
    }

    private static var formats: String {
        let names = ImageFormat.read.map(\.name)
        return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }
}
