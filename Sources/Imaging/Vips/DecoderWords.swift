/// Cleans what decoders say for a log line or an error page.
enum DecoderWords {
    /// One line of at most 200 characters, without the names of C modules, without control
    /// characters and without what was said before.
    static func oneLine(_ text: String) -> String {
        var said: [String] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let words = withoutModule(line.filter(isPrintable))
            if !words.isEmpty, !said.contains(words) { said.append(words) }
        }
        let sentence = said.joined(separator: "; ")
        return sentence.count <= 200 ? sentence : sentence.prefix(199) + "…"
    }

    private static func isPrintable(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F ~= $0.value) }
    }

    /// `VipsJpeg: premature end` → `premature end`.
    private static func withoutModule(_ line: String) -> String {
        guard let colon = line.firstIndex(of: ":") else { return line.trimmed }
        let module = line[..<colon]
        let isName =
            !module.isEmpty && module.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return isName ? String(line[line.index(after: colon)...]).trimmed : line.trimmed
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop(while: { $0 == " " }).reversed().drop(while: { $0 == " " }).reversed())
    }
}
