/// The reason why a picture was not rendered. `description` is one sentence for people.
package enum ImagingError: Error, Equatable {
    /// The bytes are not a picture; `looksLike` is "an HTML page", "JSON", "nothing (0 bytes)", ….
    case notAnImage(looksLike: String)
    /// A picture in a format or variant that is not supported.
    case unsupported(format: String)
    /// Truncated or corrupt; `reason` is the decoder's message.
    case broken(reason: String)
    /// Over a configured limit; `reason` names the limit, its value and what the picture has.
    case overLimit(reason: String)
    /// The queue for render threads is full, or the machine left a render too little processor time.
    case overloaded
    case canceled
    /// The renderer is shutting down.
    case stopped
    /// The picture brought down the child process that rendered it.
    case crashed(reason: String)
    /// The render took more processor time than it is given.
    case tooSlow(seconds: Double)
    /// It is known that the picture can't be rendered; `reason` says so in a sentence.
    case quarantined(reason: String)
    /// The installation is at fault, not the picture.
    case misconfigured(reason: String)
}

extension ImagingError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAnImage(let looksLike): "This is not a picture but \(looksLike)."
        case .unsupported(let format):
            "\(format) is not supported. " + Self.advice(format)
        case .broken(let reason): "The picture is broken: \(reason)."
        case .overLimit(let reason): "The picture is too large: \(reason)."
        case .overloaded: "This machine is too busy to render the picture. Try again later."
        case .canceled: "The render was canceled."
        case .stopped: "The renderer is shutting down."
        case .crashed(let reason): "The picture crashed its renderer: \(reason)."
        case .tooSlow(let seconds):
            "Rendering ran out of time: this picture may take \((seconds * 10).rounded() / 10) s of "
                + "processor time."
        case .quarantined(let reason): reason
        case .misconfigured(let reason): "Pictures can't be rendered: \(reason)."
        }
    }

    /// Another variant of a format that is read needs no list of formats.
    private static func advice(_ format: String) -> String {
        let isRead = ImageFormat.allCases.contains { format.contains($0.name) }
        return isRead ? "Save the picture as PNG or JPEG." : "Use \(formats)."
    }

    private static var formats: String {
        let names = ImageFormat.allCases.map(\.name)
        return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }
}

extension ImagingError {
    /// How reasons begin where an allocation failed.
    static let noMemory = "there is no memory"

    /// The picture takes more memory than pictures of its kind and size do.
    ///
    /// - Parameter memory: bytes that it was given.
    static func exhausted(_ memory: Int) -> ImagingError {
        .overLimit(
            reason: "rendering it takes more than the \(mebibytes(memory)) of memory that a picture"
                + " of its format and size is given")
    }

    /// `64 MiB`, rounded up.
    static func mebibytes(_ bytes: Int) -> String {
        "\(Int.clampedSum(bytes, 1 << 20 - 1) >> 20) MiB"
    }
}
