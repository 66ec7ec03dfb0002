import Foundation

/// A number in a template, computed anew for each picture: `r(40,90)+t*W/2`.
indirect enum Expression: Sendable {
    case number(Double)
    /// Unknown names are 0.
    case name(String)
    /// One of the arguments, at random.
    case pick([Expression])
    case call(Function, Expression, Expression)

    typealias Function = @Sendable (_ a: Double, _ b: Double, inout Context) -> Double

    /// What names mean, and where random numbers come from.
    struct Context: Sendable {
        var values: [String: Double] = [:]
        var random: SeededRandom
    }

    /// Functions of one argument have 0 as the second.
    static let functions: [String: Function] = [
        "+": { a, b, _ in a + b },
        "-": { a, b, _ in a - b },
        "*": { a, b, _ in a * b },
        "/": { a, b, _ in b == 0 ? 0 : a / b },
        ">": { a, b, _ in a > b ? 1 : 0 },
        // A random number of a range, and a random integer.
        "r": { a, b, context in a + context.random.fraction() * (b - a) },
        "n": { a, b, context in
            Double(context.random.integer(in: Int(a)...Swift.max(Int(a), Int(b))))
        },
        // From the first argument to the second as `t` goes from 0 to 1.
        "mix": { a, b, context in a + (b - a) * (context.values["t"] ?? 0) },
        // Of degrees.
        "sin": { a, _, _ in sin(a * .pi / 180) },
        "cos": { a, _, _ in sin((a + 90) * .pi / 180) },
        "min": { a, b, _ in Swift.min(a, b) },
        "max": { a, b, _ in Swift.max(a, b) },
        "abs": { a, _, _ in abs(a) },
        "floor": { a, _, _ in a.rounded(.down) },
        "pow": { a, b, _ in pow(a, b) },
        "mod": { a, b, _ in b == 0 ? 0 : a - b * (a / b).rounded(.down) },
    ]

    func value(_ context: inout Context) -> Double {
        switch self {
        case .number(let number): return number
        case .name(let name): return context.values[name] ?? 0
        case .pick(let choices): return context.random.pick(choices).value(&context)
        case .call(let function, let first, let second):
            let (a, b) = (first.value(&context), second.value(&context))
            return function(a, b, &context)
        }
    }
}

/// Reads expressions; what it can't read is an error of the template.
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
            guard let shape = Filling.shapes[reader.word()], reader.take("(") else {
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
