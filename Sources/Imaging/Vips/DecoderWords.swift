/// Cleans what decoders say for a log line or an error page.
enum DecoderWords {
    /// One line of at most 200 characters, without the names of C modules, without control
    /// characters, what is no UTF-8, and without what was said before.
    static func oneLine(_ text: String) -> String {
        var said: [String] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let words = withoutModule(line.filter(isPrintable))
            // libvips says this of every seek behind the end, also where nothing is wrong.
            if words.hasPrefix("bad seek to") { continue }
            if !words.isEmpty, !said.contains(words) { said.append(words) }
        }
        // Decoders end sentences and begin remarks as they like; ours goes on.
        let sentence = said.joined(separator: "; ").trimming(" .;")
        return sentence.count <= 200 ? sentence : sentence.prefix(199) + "…"
    }

    private static func isPrintable(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy {
            // Decoders quote names from the picture: what is no UTF-8 in them, and what turns the
            // direction of text, is not for people.
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
