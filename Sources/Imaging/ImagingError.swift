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
    /// The render was given up after the time that one may take.
    case tookTooLong(Duration)
    /// The queue for render threads is full.
    case overloaded
    case cancelled
    /// The renderer is shutting down.
    case stopped
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
        case .tookTooLong(let limit):
            "The picture can't be rendered within \(Double(limit / .milliseconds(1)) / 1_000) s"
                + " (imaging.deadline)."
        case .overloaded: "Too many pictures are waiting to be rendered: try again later."
        case .cancelled: "Nobody waits for this picture any more."
        case .stopped: "The renderer is shutting down."
        case .misconfigured(let reason): "Pictures can't be rendered: \(reason)."
        }
    }

    private static var formats: String {
        let names = ImageFormat.read.map(\.name)
        return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }
}
