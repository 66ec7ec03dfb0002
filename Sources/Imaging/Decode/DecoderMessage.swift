/// Cleans decoders' messages for logs and error pages.
enum DecoderMessage {
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
