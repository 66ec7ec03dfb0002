/// Turns decoders' messages into sentences for people, and cleans those for logs.
///
/// A decoder tells what it looked for and did not find, in words that its authors understand. What helps
/// is whether the file is cut off, damaged, or of a kind that the decoder doesn't know.
enum DecoderMessage {
    /// Stands for the variant of a picture, which the caller knows.
    static let unnamed = "this variant"
    static let damaged = "its data is damaged"
    private static let short = "it ends too early"

    /// Messages of libvips, libtiff, libheif, libjpeg-turbo, libnsgif, libwebp, librsvg and OpenJPEG.
    private static let unsupported = [
        "support", "not implemented", "can not handle", "cannot handle", "not configured",
        "bits per sample", "samples per pixel", "bad image dimensions on decode", "random access",
    ]
    private static let cut = [
        "premature end", "unexpected end", "not enough data", "insufficient data", "truncated",
        "end of file", "read error at scanline", "unable to parse image",
    ]
    private static let markup = ["xml parse error", "rendering failed: xml", "entity"]

    /// Returns the error that a message stands for.
    static func error(_ text: String) -> ImagingError {
        let words = text.lowercased()
        func says(_ marks: [String]) -> Bool { marks.contains { words.contains($0) } }
        if isOfMemory(text) {
            return .overLimit(reason: "\(ImagingError.noMemory) for its decoder")
        }
        if says(["image size out of bounds"]) {
            let most = grouped(ImagingConfiguration().maxSide)
            return .overLimit(
                reason: "a side of more than 10,000,000 pixels is over the limit of \(most)")
        }
        if says(["exceeded more than"]) {
            return .overLimit(reason: "it draws its elements too many times")
        }
        if says(cut) { return .broken(reason: short) }
        if says(unsupported) { return .unsupported(format: unnamed) }
        if says(markup) { return .broken(reason: "it is not well-formed XML") }
        return .broken(reason: damaged)
    }

    /// Returns whether a message is about memory, which the stack of a thread needs, too.
    static func isOfMemory(_ text: String) -> Bool {
        let words = text.lowercased()
        return words.contains("memory") || words.contains("creating thread")
    }

    /// Puts the name of a picture's variant into an error.
    static func named(
        _ error: ImagingError, _ original: [UInt8], _ format: ImageFormat
    ) -> ImagingError {
        switch error {
        case .unsupported(unnamed): .unsupported(format: PictureVariant.name(original, format))
        // Its decoder may have met something else before the end.
        case .broken(damaged) where format == .jpeg && PictureTail.cutsScans(original):
            .broken(reason: short)
        // Their decoders have one message for both.
        case .broken(damaged) where [.jxl, .jp2, .heic, .avif].contains(format):
            .unsupported(
                format: "This \(format.name), which is damaged or of a variant that is not known,")
        default: error
        }
    }

    /// Returns one line of at most 200 characters, without names of C modules, control characters,
    /// bytes that aren't UTF-8, and repetitions.
    static func oneLine(_ text: String) -> String {
        var said: [String] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let words = withoutModule(line.filter(isPrintable))
            // libvips logs this for every seek behind the end, even if nothing is wrong.
            if words.hasPrefix("bad seek to") { continue }
            if !words.isEmpty, !said.contains(words) { said.append(words) }
        }
        // The message continues ours, so that its own punctuation goes.
        let sentence = said.joined(separator: "; ").trimming(" .;")
        return sentence.count <= 200 ? sentence : sentence.prefix(199) + "…"
    }

    private static func isPrintable(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy {
            // Decoders quote names from the picture, which may hold anything, such as characters
            // that turn the direction of text.
            switch $0.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: false
            default: $0 != "\u{FFFD}"
            }
        }
    }

    /// `VipsJpeg: premature end` → `premature end`.
    private static func withoutModule(_ line: String) -> String {
        guard let colon = line.firstIndex(of: ":") else { return line.trimming(" ") }
        let module = line[..<colon]
        let isName =
            !module.isEmpty && module.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return (isName ? String(line[line.index(after: colon)...]) : line).trimming(" ")
    }
}

extension String {
    fileprivate func trimming(_ characters: String) -> String {
        let tail = reversed().drop(while: characters.contains)
        return String(tail.reversed().drop(while: characters.contains))
    }
}
