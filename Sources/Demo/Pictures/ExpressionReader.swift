/// A template that can't be read. Templates are part of the program, so only tests should see it.
struct TemplateError: Error, CustomStringConvertible {
    let description: String

    init(_ text: String, _ reason: String) {
        description = "A template has an error: “\(text)” \(reason)."
    }
}

/// Reads expressions and calls of shapes. Everything else is an error of the template.
struct ExpressionReader {
    private var rest: ArraySlice<UInt8>
    private let text: String

    private init(_ text: String) {
        self.text = text
        rest = Array(text.utf8.filter { $0 != UInt8(ascii: " ") })[...]
    }

    /// The whole text as one expression.
    static func expression(_ text: String) throws(TemplateError) -> Expression {
        var reader = ExpressionReader(text)
        let expression = try reader.expression()
        guard reader.rest.isEmpty else { throw reader.error() }
        return expression
    }

    /// `name=expression;name=expression`.
    static func assignments(_ text: String) throws(TemplateError) -> [(String, Expression)] {
        var assignments: [(String, Expression)] = []
        for part in text.split(separator: ";") {
            let sides = part.split(separator: "=", maxSplits: 1)
            guard sides.count == 2 else { throw TemplateError(text, "is not an assignment") }
            let name = sides[0].filter { !$0.isWhitespace }
            assignments.append((name, try expression(String(sides[1]))))
        }
        return assignments
    }

    /// Calls of shapes, one after the other: `circle(1,2,3) line(1,2,3,4)`.
    static func shapes(_ text: String) throws(TemplateError) -> [(Shape, [Expression])] {
        var reader = ExpressionReader(text)
        var shapes: [(Shape, [Expression])] = []
        while !reader.rest.isEmpty {
            guard let shape = Pen.shapes[reader.word()], reader.take("(") else {
                throw reader.error()
            }
            shapes.append((shape, try reader.arguments()))
        }
        return shapes
    }

    private func error() -> TemplateError {
        TemplateError(text, "can't be read at “\(String(decoding: rest, as: UTF8.self))”")
    }

    private mutating func take(_ letter: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: letter) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func take(while isPart: (UInt8) -> Bool) -> String {
        let part = rest.prefix(while: isPart)
        rest = rest.dropFirst(part.count)
        return String(decoding: part, as: UTF8.self)
    }

    private mutating func word() -> String {
        take { Unicode.Scalar($0).properties.isAlphabetic }
    }

    /// What follows an opening parenthesis, up to the closing one.
    private mutating func arguments() throws(TemplateError) -> [Expression] {
        if take(")") { return [] }
        var arguments = [try expression()]
        while take(",") { arguments.append(try expression()) }
        guard take(")") else { throw error() }
        return arguments
    }

    /// From the weakest to the strongest.
    private static let operators = [">", "+-", "*/"]

    private mutating func expression(_ level: Int = 0) throws(TemplateError) -> Expression {
        guard level < Self.operators.count else { return try factor() }
        var left = try expression(level + 1)
        while let sign = rest.first, Self.operators[level].utf8.contains(sign) {
            rest.removeFirst()
            let name = String(Unicode.Scalar(sign))
            left = try call(name, [left, try expression(level + 1)])
        }
        return left
    }

    private func call(_ name: String, _ arguments: [Expression]) throws(TemplateError) -> Expression
    {
        guard let first = arguments.first else { throw error() }
        if name == "p" { return .pick(arguments) }
        guard let function = Expression.functions[name] else { throw error() }
        return .call(function, first, arguments.count > 1 ? arguments[1] : .number(0))
    }

    private mutating func factor() throws(TemplateError) -> Expression {
        if take("-") { return try call("-", [.number(0), try factor()]) }
        if take("(") {
            let inner = try expression()
            guard take(")") else { throw error() }
            return inner
        }
        let digits = take { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        if !digits.isEmpty {
            guard let number = Double("0\(digits)") else { throw error() }
            return .number(number)
        }
        let word = word()
        guard !word.isEmpty else { throw error() }
        return take("(") ? try call(word, try arguments()) : .name(word)
    }
}
