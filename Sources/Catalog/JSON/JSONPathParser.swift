import JSON

/// Parses a JSONPath (RFC 9535, without functions).
struct JSONPathParser {
    private let characters: [Character]
    private(set) var position: Int
    /// Where the path begins.
    private let start: Int
    private var depth = 0

    /// Filters nested deeper are not written by people.
    private static let maxDepth = 20

    init(_ text: String) {
        self.init(Array(text), at: 0)
    }

    /// Begins at the `$` of a path within a longer text.
    init(_ characters: [Character], at position: Int) {
        self.characters = characters
        self.position = position
        start = position
    }

    /// Reads a path up to the end of the text.
    mutating func path() throws(SourceSyntaxError) -> [JSONPath.Segment] {
        let segments = try prefix()
        guard position == characters.count else {
            throw error("expected “.”, “[” or the end, not “\(characters[position])”")
        }
        return segments
    }

    /// Reads a path as far as it goes.
    mutating func prefix() throws(SourceSyntaxError) -> [JSONPath.Segment] {
        guard take("$") else { throw error("a path begins with “$”") }
        return try segments()
    }

    private var next: Character? {
        position < characters.count ? characters[position] : nil
    }

    private func error(_ reason: String) -> SourceSyntaxError {
        SourceSyntaxError(reason: reason, column: position + 1)
    }

    private mutating func take(_ text: String) -> Bool {
        let wanted = Array(text)
        guard characters[position...].starts(with: wanted) else { return false }
        position += wanted.count
        return true
    }

    private mutating func skipSpace() {
        while let next, next == " " || next == "\t" { position += 1 }
    }

    private mutating func segments() throws(SourceSyntaxError) -> [JSONPath.Segment] {
        var segments: [JSONPath.Segment] = []
        while let next, next == "." || next == "[" {
            let begin = position
            var segment = JSONPath.Segment(selectors: [], place: begin..<begin)
            if take("..") {
                segment.isDescendant = true
                segment.selectors = self.next == "[" ? try bracket() : [try dotted(after: "..")]
            } else if take(".") {
                segment.selectors = [try dotted(after: ".")]
            } else {
                segment.selectors = try bracket()
            }
            segment.place = begin - start..<position - start
            segments.append(segment)
        }
        return segments
    }

    private mutating func dotted(
        after dots: String
    ) throws(SourceSyntaxError) -> JSONPath.Selector {
        if take("*") { return .wildcard }
        let begin = position
        while let next, Self.isNameCharacter(next, isFirst: position == begin) { position += 1 }
        guard position > begin else {
            throw error("expected a name or “*” after “\(dots)”; write other names as ['my-name']")
        }
        if next == "-" || next == "(" {
            throw error(
                next == "("
                    ? "functions are not supported"
                    : "a name with “-” is written as ['my-name']")
        }
        return .name(String(characters[begin..<position]))
    }

    private static func isNameCharacter(_ character: Character, isFirst: Bool) -> Bool {
        guard character.isASCII else { return true }
        return character.isLetter || character == "_" || !isFirst && character.isNumber
    }

    private mutating func bracket() throws(SourceSyntaxError) -> [JSONPath.Selector] {
        position += 1
        var selectors: [JSONPath.Selector] = []
        repeat {
            skipSpace()
            selectors.append(try selector())
            skipSpace()
        } while take(",")
        guard take("]") else { throw error("expected “]”") }
        return selectors
    }

    private mutating func selector() throws(SourceSyntaxError) -> JSONPath.Selector {
        if take("*") { return .wildcard }
        if take("?") {
            skipSpace()
            return .filter(try disjunction())
        }
        if next == "'" || next == "\"" { return .name(try quoted()) }
        let start = try integer()
        skipSpace()
        guard take(":") else {
            guard let start else {
                throw error("expected a name in quotes, a number, “*”, a slice or “?”")
            }
            return .index(start)
        }
        skipSpace()
        let end = try integer()
        skipSpace()
        guard take(":") else { return .slice(start: start, end: end, step: 1) }
        skipSpace()
        return .slice(start: start, end: end, step: try integer() ?? 1)
    }

    /// Returns nil if no number stands here.
    private mutating func integer() throws(SourceSyntaxError) -> Int? {
        let begin = position
        _ = take("-")
        while let next, next.isASCII, next.isNumber { position += 1 }
        guard position > begin else { return nil }
        let text = String(characters[begin..<position])
        guard let number = Int(text), String(number) == text, number.magnitude < 1 << 53 else {
            position = begin
            throw error("“\(text)” is not a whole number")
        }
        return number
    }

    private mutating func quoted() throws(SourceSyntaxError) -> String {
        let quote = characters[position]
        let begin = position
        position += 1
        var text = ""
        while let next {
            position += 1
            if next == quote { return text }
            guard next == "\\" else {
                text.append(next)
                continue
            }
            guard let escaped = self.next else { break }
            switch escaped {
            case "'", "\"", "\\", "/": text.append(escaped)
            case "n": text.append("\n")
            case "t": text.append("\t")
            case "r": text.append("\r")
            case "b": text.append("\u{8}")
            case "f": text.append("\u{C}")
            case "u":
                let digits = String(characters[(position + 1)...].prefix(4))
                guard digits.count == 4,
                    let scalar = UInt32(digits, radix: 16).flatMap(
                        Unicode.Scalar.init)
                else { throw error("“\\u” needs the four hexadecimal digits of a character") }
                text.unicodeScalars.append(scalar)
                position += 4
            default: throw error("“\\\(escaped)” is not an escape")
            }
            position += 1
        }
        position = begin
        throw error("the quote is not closed")
    }
}

// MARK: - Filters

extension JSONPathParser {
    private mutating func disjunction() throws(SourceSyntaxError) -> JSONPath.Filter {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maxDepth else { throw error("the filter is nested too deeply") }
        var parts = [try conjunction()]
        while takeOperator("||") { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func conjunction() throws(SourceSyntaxError) -> JSONPath.Filter {
        var parts = [try term()]
        while takeOperator("&&") { parts.append(try term()) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func takeOperator(_ text: String) -> Bool {
        let begin = position
        skipSpace()
        if take(text) {
            skipSpace()
            return true
        }
        position = begin
        return false
    }

    private mutating func term() throws(SourceSyntaxError) -> JSONPath.Filter {
        skipSpace()
        if take("!") {
            skipSpace()
            guard next == "(" || next == "@" || next == "$" else {
                throw error("expected “(” or a path after “!”")
            }
            let negated = try term()
            if case .comparison = negated {
                throw error("“!” stands before a path or before parentheses")
            }
            return .not(negated)
        }
        if take("(") {
            skipSpace()
            let inner = try disjunction()
            skipSpace()
            guard take(")") else { throw error("expected “)”") }
            // Parentheses are kept, so that “!(@.a == 1)” is not taken for “!@.a == 1”.
            return .all([inner])
        }
        return try test()
    }

    private mutating func test() throws(SourceSyntaxError) -> JSONPath.Filter {
        let begin = position
        let left = try operand()
        let end = position
        skipSpace()
        guard let comparison = JSONPath.Comparison.allCases.first(where: { take($0.rawValue) })
        else {
            if next == "=" { throw error("expected “==”, not “=”") }
            position = end
            guard case .query(let query) = left else {
                throw error("expected a comparison, such as “==”")
            }
            return .exists(query)
        }
        skipSpace()
        let place = position
        let right = try operand()
        for (operand, place) in [(left, begin), (right, place)] {
            guard case .query(let query) = operand, !query.selectsOne else { continue }
            position = place
            throw error("a compared path selects one value: names and indexes only")
        }
        return .comparison(left, comparison, right)
    }

    private mutating func operand() throws(SourceSyntaxError) -> JSONPath.Operand {
        switch next {
        case "@"?, "$"?:
            let isRelative = next == "@"
            position += 1
            return .query(.init(isRelative: isRelative, segments: try segments()))
        case "'"?, "\""?: return .literal(.text(try quoted()))
        default: break
        }
        for (word, value) in [
            ("true", JSON.flag(true)), ("false", .flag(false)), ("null", .null),
        ] where take(word) { return .literal(value) }
        let begin = position
        while let next, next.isASCII, next.isNumber || "+-.eE".contains(next) { position += 1 }
        let text = String(characters[begin..<position])
        guard !text.isEmpty, text.first != "+", text.first != ".", Double(text) != nil else {
            position = begin
            throw error("expected “@”, “$”, a text in quotes, a number, true, false or null")
        }
        return .literal(.number(text))
    }
}

extension JSONPath.Query {
    /// Whether it selects at most one value.
    fileprivate var selectsOne: Bool {
        segments.allSatisfy { segment in
            guard !segment.isDescendant, segment.selectors.count == 1 else { return false }
            return switch segment.selectors[0] {
            case .name, .index: true
            case .wildcard, .slice, .filter: false
            }
        }
    }
}

extension JSONPath {
    /// Parses a path.
    ///
    /// - Throws: ``SourceSyntaxError`` with the column of what doesn't fit.
    package init(_ text: String) throws(SourceSyntaxError) {
        var parser = JSONPathParser(text)
        self.init(text: text, segments: try parser.path())
    }
}
