/// Arithmetic on untrusted numbers. A result that doesn't fit an `Int` becomes the nearest one that
/// does, so that nothing traps and the limits refuse it.
extension Int {
    static func clampedProduct(_ one: Int, _ other: Int) -> Int {
        let (product, overflows) = one.multipliedReportingOverflow(by: other)
        guard overflows else { return product }
        return (one < 0) == (other < 0) ? .max : .min
    }

    static func clampedSum(_ numbers: Int...) -> Int {
        numbers.reduce(0) { sum, number in
            let (next, overflows) = sum.addingReportingOverflow(number)
            guard overflows else { return next }
            return number < 0 ? .min : .max
        }
    }

    /// The integer part; the largest number for NaN.
    init(clamped number: Double) {
        if number <= -0x1p63 {
            self = .min
        } else {
            self = number < 0x1p63 ? Int(number) : .max
        }
    }
}
