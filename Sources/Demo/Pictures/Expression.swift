import Foundation

/// A number in a template, computed for each picture: `r(40,90)+t*W/2`.
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
