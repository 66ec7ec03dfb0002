#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A number in a template, computed anew for each picture: `r(40,90)+t*W/2`.
indirect enum Expression: Sendable {
    case number(Double)
    case name(String)
    case call(Function, [Expression])

    enum Function: String, Sendable {
        case add = "+"
        case subtract = "-"
        case multiply = "*"
        case divide = "/"
        case greater = ">"
        /// A random number of a range, a random integer of a range, one of the arguments.
        case r, n, p
        /// From the first argument to the second as `t` goes from 0 to 1.
        case mix
        /// Of degrees.
        case sin, cos
        case min, max, abs, floor, pow, mod
    }

    /// What names mean, and where random numbers come from.
    struct Context: Sendable {
        var values: [String: Double] = [:]
        var random: SeededRandom
    }

    /// The value; unknown names are 0.
    func value(_ context: inout Context) -> Double {
        switch self {
        case .number(let number): return number
        case .name(let name): return context.values[name] ?? 0
        case .call(.p, let choices):
            return choices[context.random.integer(in: 0...(choices.count - 1))].value(&context)
        case .call(let function, let arguments):
            let first = arguments[0].value(&context)
            let second = arguments.count > 1 ? arguments[1].value(&context) : 0
            return Self.result(function, first, second, &context)
        }
    }

    private static func result(
        _ function: Function, _ a: Double, _ b: Double, _ context: inout Context
    ) -> Double {
        switch function {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: b == 0 ? 0 : a / b
        case .greater: a > b ? 1 : 0
        case .r: a + context.random.fraction() * (b - a)
        case .n: Double(context.random.integer(in: Int(a)...Swift.max(Int(a), Int(b))))
        case .mix: a + (b - a) * (context.values["t"] ?? 0)
        case .sin: sine(a)
        case .cos: sine(a + 90)
        case .min: Swift.min(a, b)
        case .max: Swift.max(a, b)
        case .abs: Swift.abs(a)
        case .floor: a.rounded(.down)
        case .pow: power(a, b)
        case .mod: b == 0 ? 0 : a - b * (a / b).rounded(.down)
        case .p: a
        }
    }
}

// Outside, where cases of the same names don't hide the functions.
private func sine(_ degrees: Double) -> Double { sin(degrees * .pi / 180) }
private func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }

/// Reads expressions; what it can't read is an error of the template.
struct ExpressionReader {
    private var rest: ArraySlice<UInt8>
    private let text: String

    init(_ text: String) {
        self.text = text
        rest = Array(text.utf8.filter { $0 != UInt8(ascii: " ") })[...]
    }

    /// The whole text as one expression.
    static func expression(_ text: String) throws(TemplateError) -> Expression {
        var reader = ExpressionReader(text)
        let expression = try reader.comparison()
        guard reader.rest.isEmpty else { throw reader.error() }
        return expression
    }

    /// `name=expression;name=expression`.
    static func assignments(_ text: String) throws(TemplateError) -> [(String, Expression)] {
        var assignments: [(String, Expression)] = []
        for part in text.split(separator: ";") {
            let sides = part.split(separator: "=", maxSplits: 1)
            guard sides.count == 2 else { throw TemplateError(text, "is not an assignment") }
            assignments.append(
                (
                    sides[0].filter { $0 != " " && $0 != "\n" }, try expression(String(sides[1]))
                ))
        }
        return assignments
    }

    /// Calls of shapes, one after the other: `circle(1,2,3) line(1,2,3,4)`.
    static func shapes(_ text: String) throws(TemplateError) -> [(Shape, [Expression])] {
        var reader = ExpressionReader(text)
        var shapes: [(Shape, [Expression])] = []
        while !reader.rest.isEmpty {
            guard let shape = Shape(rawValue: reader.word()), reader.take("(") else {
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

    private mutating func word() -> String {
        let word = rest.prefix { Unicode.Scalar($0).properties.isAlphabetic }
        rest = rest.dropFirst(word.count)
        return String(decoding: word, as: UTF8.self)
    }

    private mutating func arguments() throws(TemplateError) -> [Expression] {
        if take(")") { return [] }
        var arguments = [try comparison()]
        while take(",") { arguments.append(try comparison()) }
        guard take(")") else { throw error() }
        return arguments
    }

    private mutating func comparison() throws(TemplateError) -> Expression {
        let left = try sum()
        if take(">") { return .call(.greater, [left, try sum()]) }
        return left
    }

    private mutating func sum() throws(TemplateError) -> Expression {
        var sum = try product()
        while true {
            if take("+") {
                sum = .call(.add, [sum, try product()])
            } else if take("-") {
                sum = .call(.subtract, [sum, try product()])
            } else {
                return sum
            }
        }
    }

    private mutating func product() throws(TemplateError) -> Expression {
        var product = try factor()
        while true {
            if take("*") {
                product = .call(.multiply, [product, try factor()])
            } else if take("/") {
                product = .call(.divide, [product, try factor()])
            } else {
                return product
            }
        }
    }

    private mutating func factor() throws(TemplateError) -> Expression {
        if take("-") { return .call(.subtract, [.number(0), try factor()]) }
        if take("(") {
            let inner = try comparison()
            guard take(")") else { throw error() }
            return inner
        }
        let digits = rest.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        if !digits.isEmpty {
            rest = rest.dropFirst(digits.count)
            let text = String(decoding: digits, as: UTF8.self)
            guard let number = Double(text.hasPrefix(".") ? "0\(text)" : text) else {
                throw error()
            }
            return .number(number)
        }
        let word = word()
        guard !word.isEmpty else { throw error() }
        guard take("(") else { return .name(word) }
        guard let function = Expression.Function(rawValue: word) else { throw error() }
        let arguments = try arguments()
        guard !arguments.isEmpty else { throw error() }
        return .call(function, arguments)
    }
}
