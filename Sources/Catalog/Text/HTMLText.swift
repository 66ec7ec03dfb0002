/// The words of a piece of HTML: without tags, with decoded entities, one line per paragraph.
///
/// It suits sources' summaries, which use a handful of tags. It is not a full HTML parser.
package struct HTMLText {
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var text = String.UnicodeScalarView()
    /// The white space since the last word, written before the next word.
    private var gap: Gap = .none

    private enum Gap: Int { case none, space, line }

    /// Returns the words; an empty text if the HTML has none.
    package static func plain(_ html: String) -> String {
        var reader = HTMLText(html)
        return reader.read()
    }

    /// Returns a text with its entities decoded, once. Tags and everything else stay.
    package static func decodingEntities(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        let reader = HTMLText(text)
        var decoded = String.UnicodeScalarView()
        var at = 0
        while at < reader.scalars.count {
            if reader.scalars[at] == "&", let (entity, length) = reader.entity(at: at) {
                at += length
                for scalar in entity.unicodeScalars {
                    let isBlank = scalar.properties.isWhitespace
                    if isBlank {
                        decoded.append(" ")
                    } else if scalar.properties.generalCategory != .control {
                        decoded.append(scalar)
                    }
                }
            } else {
                decoded.append(reader.scalars[at])
                at += 1
            }
        }
        return String(decoded)
    }

    private init(_ html: String) {
        scalars = Array(html.unicodeScalars)
    }

    private mutating func read() -> String {
        while position < scalars.count {
            let scalar = scalars[position]
            if scalar == "<", startsTag(at: position + 1) {
                skipTag()
            } else if scalar == "&", let (decoded, length) = entity(at: position) {
                position += length
                for scalar in decoded.unicodeScalars { append(scalar) }
            } else {
                position += 1
                append(scalar)
            }
        }
        return String(text)
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        if scalar.properties.isWhitespace {
            widen(.space)
            return
        }
        guard scalar.properties.generalCategory != .control else { return }
        if !text.isEmpty, gap != .none { text.append(gap == .line ? "\n" : " ") }
        gap = .none
        text.append(scalar)
    }

    private mutating func widen(_ wider: Gap) {
        if wider.rawValue > gap.rawValue { gap = wider }
    }

    /// Returns whether a tag starts after a `<`. A lone `<`, as in "a < b", is text.
    private func startsTag(at index: Int) -> Bool {
        guard index < scalars.count else { return false }
        return scalars[index].properties.isAlphabetic
            || "/!?".unicodeScalars.contains(scalars[index])
    }

    private mutating func skipTag() {
        position += 1
        if matches("!--") {
            skip(past: "-->")
            return
        }
        let closing = matches("/")
        if closing { position += 1 }
        var name = ""
        while position < scalars.count,
            scalars[position].properties.isAlphabetic
                || ("0"..."9").contains(scalars[position])
        {
            name.unicodeScalars.append(scalars[position])
            position += 1
        }
        skipAttributes()
        name = name.lowercased()
        if Self.blocks.contains(name) { widen(.line) }
        if !closing, name == "script" || name == "style" {
            skip(past: "</\(name)")
            skipAttributes()
        }
    }

    private mutating func skipAttributes() {
        var quote: Unicode.Scalar?
        while position < scalars.count {
            let scalar = scalars[position]
            position += 1
            if let open = quote {
                if scalar == open { quote = nil }
            } else if scalar == "\"" || scalar == "'" {
                quote = scalar
            } else if scalar == ">" {
                return
            }
        }
    }

    private func matches(_ wanted: String) -> Bool {
        let wanted = Array(wanted.unicodeScalars)
        guard position + wanted.count <= scalars.count else { return false }
        return wanted.indices.allSatisfy {
            scalars[position + $0].properties.lowercaseMapping.unicodeScalars.first == wanted[$0]
        }
    }

    private mutating func skip(past wanted: String) {
        while position < scalars.count, !matches(wanted) { position += 1 }
        position = min(position + wanted.unicodeScalars.count, scalars.count)
    }

    /// Returns the text of the entity at `index` and its length in scalars; `nil` if `&` is plain
    /// text.
    private func entity(at index: Int) -> (String, Int)? {
        let limit = min(index + 12, scalars.count)
        guard let end = scalars[index..<limit].firstIndex(of: ";"), end > index + 1 else {
            return nil
        }
        let name = scalars[(index + 1)..<end]
        let length = end - index + 1
        guard name.first == "#" else {
            var key = String.UnicodeScalarView()
            key.append(contentsOf: name)
            return Self.named[String(key)].map { ($0, length) }
        }
        var digits = String.UnicodeScalarView()
        digits.append(contentsOf: name.dropFirst())
        let number = String(digits)
        let isHex = number.hasPrefix("x") || number.hasPrefix("X")
        let value = isHex ? UInt32(number.dropFirst(), radix: 16) : UInt32(number)
        guard let value, let scalar = Unicode.Scalar(value) else { return nil }
        return (String(Character(scalar)), length)
    }

    private static let blocks: Set<String> = [
        "p", "br", "div", "li", "ul", "ol", "blockquote", "tr", "table", "h1", "h2", "h3", "h4",
    ]

    /// Of Latin-1 from 160 on (HTML 4.01, section 24.2.1), and some others.
    private static let named: [String: String] = {
        let latin = """
            nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn \
            sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave \
            Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml \
            ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN \
            szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave \
            iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute \
            ucirc uuml yacute thorn yuml
            """
        var named = [
            "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "hellip": "…",
            "mdash": "—",
            "ndash": "–", "lsquo": "‘", "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”",
            "bdquo": "„", "lsaquo": "‹", "rsaquo": "›", "bull": "•", "trade": "™", "euro": "€",
            "dagger": "†", "OElig": "Œ", "oelig": "œ", "Scaron": "Š", "scaron": "š", "Yuml": "Ÿ",
        ]
        for (index, name) in latin.split(separator: " ").enumerated() {
            named[String(name)] = Unicode.Scalar(160 + UInt32(index)).map { String(Character($0)) }
        }
        named["nbsp"] = " "
        named["shy"] = ""
        return named
    }()
}
