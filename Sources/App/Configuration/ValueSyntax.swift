import Catalog
import Imaging

/// How values of a type are written in flags, environment variables and the file.
struct ValueSyntax<Value: Sendable>: Sendable {
    /// Completes "expected …".
    let expected: String
    let parse: @Sendable (String) -> Value?
    /// Returns the canonical text. Parsing it returns the value.
    let print: @Sendable (Value) -> String
}

extension ValueSyntax where Value == String {
    static func text(_ expected: String) -> Self {
        Self(expected: expected, parse: { $0.isEmpty ? nil : $0 }, print: { $0 })
    }

    static func text(_ expected: String, where isValid: @escaping @Sendable (String) -> Bool)
        -> Self
    {
        Self(expected: expected, parse: { isValid($0) ? $0 : nil }, print: { $0 })
    }
}

extension ValueSyntax {
    /// Accepts an empty text as nil.
    static func optional<Wrapped>(_ syntax: ValueSyntax<Wrapped>) -> Self
    where Value == Wrapped? {
        Self(
            expected: "\(syntax.expected), or \"\" for none",
            parse: { text in
                if text.isEmpty { return .some(.none) }
                return syntax.parse(text).map(Optional.some)
            },
            print: { value in value.map(syntax.print) ?? "" })
    }
}

extension ValueSyntax {
    /// Accepts `auto` as nil, for which the program chooses a value.
    static func automatic<Wrapped>(_ syntax: ValueSyntax<Wrapped>) -> Self
    where Value == Wrapped? {
        Self(
            expected: "\(syntax.expected), or auto",
            parse: { text in
                if text == "auto" { return .some(.none) }
                return syntax.parse(text).map(Optional.some)
            },
            print: { value in value.map(syntax.print) ?? "auto" })
    }
}

extension ValueSyntax where Value == Int {
    static func integer(_ range: ClosedRange<Int>, zero: String? = nil) -> Self {
        let meaning = zero.map { " (0 \($0))" } ?? ""
        return Self(
            expected: "a whole number from \(range.lowerBound) to \(range.upperBound)\(meaning)",
            parse: { text in Int(text).flatMap { range.contains($0) ? $0 : nil } },
            print: { String($0) })
    }

    static func size(_ range: ClosedRange<Int>) -> Self {
        let bounds =
            "from \(SizeText.print(range.lowerBound)) to \(SizeText.print(range.upperBound))"
        return Self(
            expected: "a size \(bounds), such as 64MiB",
            parse: { text in SizeText.parse(text).flatMap { range.contains($0) ? $0 : nil } },
            print: { SizeText.print($0) })
    }
}

extension ValueSyntax where Value == Bool {
    static var bool: Self {
        Self(
            expected: "true or false", parse: { Bool($0) }, print: { $0 ? "true" : "false" })
    }
}

extension ValueSyntax where Value == Duration {
    static func duration(_ range: ClosedRange<Duration>) -> Self {
        let bounds =
            "from \(DurationText.print(range.lowerBound)) to \(DurationText.print(range.upperBound))"
        return Self(
            expected: "a duration \(bounds), such as 500ms, 30s, 15m, 24h or 7d",
            parse: { text in DurationText.parse(text).flatMap { range.contains($0) ? $0 : nil } },
            print: { DurationText.print($0) })
    }
}

extension ValueSyntax where Value == Double {
    /// A duration that a module keeps in seconds.
    static func seconds(_ range: ClosedRange<Duration>) -> Self {
        let duration = ValueSyntax<Duration>.duration(range)
        return Self(
            expected: duration.expected,
            parse: { text in duration.parse(text).map { $0 / .seconds(1) } },
            print: { seconds in duration.print(.milliseconds(Int64((seconds * 1_000).rounded()))) })
    }
}

extension ValueSyntax where Value == RGB {
    static var color: Self {
        Self(
            expected: "a color such as \"#ffffff\"",
            parse: { RGB(hex: $0) },
            print: \.hex)
    }
}

extension ValueSyntax
where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the cases' names.
    static var choice: Self {
        Self(
            expected: Value.allCases.map(\.rawValue).listed(by: "or"),
            parse: { Value(rawValue: $0) },
            print: { $0.rawValue })
    }
}

extension ValueSyntax where Value == Level {
    /// Name, box and fit; neither WebP nor JPEG can be larger than 16,383 pixels.
    static var level: Self {
        Self(
            expected: "a name of at most 16 letters a-z, digits or hyphens and a box of 1x1 to "
                + "16383x16383 pixels, such as m: 320x480; to crop, followed by cover and what "
                + "stays (\(Level.Gravity.allCases.map(\.rawValue).listed(by: "or"))), such as "
                + "tile: 240x240 cover attention",
            parse: { text in
                let parts = text.split(separator: "=", omittingEmptySubsequences: false)
                guard parts.count == 2, (1...16).contains(parts[0].utf8.count),
                    parts[0].utf8.allSatisfy({ byte in
                        switch byte {
                        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"),
                            UInt8(ascii: "0")...UInt8(ascii: "9"):
                            true
                        default: false
                        }
                    })
                else { return nil }
                let words = parts[1].split(separator: " ")
                let sides = (words.first ?? "").split(
                    separator: "x", omittingEmptySubsequences: false)
                guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]),
                    (1...16_383).contains(width), (1...16_383).contains(height),
                    let fit = fit(words.dropFirst())
                else { return nil }
                return Level(name: String(parts[0]), width: width, height: height, fit: fit)
            },
            print: { level in
                let box = "\(level.name)=\(level.width)x\(level.height)"
                guard case .cover(let gravity) = level.fit else { return box }
                return "\(box) cover \(gravity.rawValue)"
            })
    }

    /// Returns the fit that words after a box name: none, `contain`, `cover`, or `cover` and a gravity.
    private static func fit(_ words: ArraySlice<Substring>) -> Level.Fit? {
        switch (words.first, words.count) {
        case (nil, _), ("contain", 1): return .contain
        case ("cover", 1): return .cover(.center)
        case ("cover", 2):
            return words.last.flatMap { Level.Gravity(rawValue: String($0)) }.map(Level.Fit.cover)
        default: return nil
        }
    }
}

extension Level {
    /// Reads a level as the settings have it: `tile=240x240 cover attention`; nil for any other text.
    package init?(text: String) {
        guard let level = ValueSyntax.level.parse(text) else { return nil }
        self = level
    }
}
