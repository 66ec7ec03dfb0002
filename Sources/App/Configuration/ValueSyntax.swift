import Catalog
import Fetch
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
        optional(syntax, none: "", "\"\" for none")
    }

    /// Accepts `auto` as nil, for which the program chooses a value.
    static func automatic<Wrapped>(_ syntax: ValueSyntax<Wrapped>) -> Self
    where Value == Wrapped? {
        optional(syntax, none: "auto", "auto")
    }

    private static func optional<Wrapped>(
        _ syntax: ValueSyntax<Wrapped>, none: String, _ expected: String
    ) -> Self
    where Value == Wrapped? {
        Self(
            expected: "\(syntax.expected), or \(expected)",
            parse: { $0 == none ? .some(.none) : syntax.parse($0).map(Optional.some) },
            print: { value in value.map(syntax.print) ?? none })
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
                + "16383x16383 pixels, such as m=320x480; to crop, followed by cover and what "
                + "stays (\(Level.Gravity.allCases.map(\.rawValue).listed(by: "or"))), such as "
                + "tile=240x240 cover attention",
            parse: { text in
                let parts = text.split(separator: "=", omittingEmptySubsequences: false)
                guard parts.count == 2, (1...16).contains(parts[0].utf8.count),
                    parts[0].utf8.allSatisfy(\.isOfName)
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

extension ValueSyntax where Value == String {
    /// libcurl's `CURLOPT_CONNECT_TO`. An empty part means "any" on the left and "the same" on the
    /// right.
    static var hostMapping: Self { .text("HOST:PORT:HOST:PORT", where: isHostMapping) }

    /// A proxy of a kind that libcurl knows.
    static var proxyURL: Self {
        .text("a URL such as http://proxy.example:3128", where: isProxyURL)
    }

    private static func isHostMapping(_ text: String) -> Bool {
        var parts: [Substring] = [""]
        var rest = text[...]
        while let character = rest.popFirst() {
            if character == "[" {
                // An IPv6 address holds colons of its own.
                guard let end = rest.firstIndex(of: "]") else { return false }
                parts[parts.count - 1] += rest[..<end]
                rest = rest[rest.index(after: end)...]
            } else if character == ":" {
                parts.append("")
            } else if character.isWhitespace {
                return false
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        guard parts.count == 4 else { return false }
        return [parts[1], parts[3]].allSatisfy { port in
            port.isEmpty || UInt16(port).map { $0 > 0 } ?? false
        }
    }

    private static func isProxyURL(_ text: String) -> Bool {
        guard let separator = text.firstRange(of: "://") else { return false }
        let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
        return schemes.contains(text[..<separator.lowerBound].lowercased())
            && separator.upperBound < text.endIndex && !text.contains(where: \.isWhitespace)
    }
}

extension ValueSyntax where Value == Network {
    static var network: Self {
        Self(
            expected: "a network such as 10.0.0.0/8 or fd00::/8",
            parse: { Network($0) }, print: { $0.description })
    }
}

extension ValueSyntax where Value == HostPattern {
    static var hostPattern: Self {
        Self(
            expected: "a host name such as img.example.org or *.example.org",
            parse: { $0.isEmpty || $0.contains("/") ? nil : HostPattern($0) },
            print: { $0.description })
    }
}

extension UInt8 {
    /// Whether names of levels, sources and the like may have this byte: a letter a-z, a digit or a hyphen.
    var isOfName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// Durations in settings: `500ms`, `30s`, `15m`, `24h`, `7d`, and a plain `0`.
package enum DurationText {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    package static func parse(_ text: String) -> Duration? {
        if text == "0" { return .zero }
        guard let (number, unit) = numberAndUnit(text),
            let factor = units.first(where: { $0.name == unit })?.milliseconds
        else { return nil }
        let (value, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : .milliseconds(value)
    }

    /// Formats a duration in the largest unit that gives a whole number, without fractions of a
    /// millisecond.
    ///
    /// Durations below 48 hours are not written in days: `24h`, but `7d`.
    static func print(_ duration: Duration) -> String {
        let milliseconds = Int64(duration / .milliseconds(1))
        if milliseconds == 0 { return "0s" }
        for unit in units where milliseconds % unit.milliseconds == 0 {
            if unit.name == "d", milliseconds < 2 * unit.milliseconds { continue }
            return "\(milliseconds / unit.milliseconds)\(unit.name)"
        }
        return "\(milliseconds)ms"
    }

    /// Splits `15m` into 15 and `m`; `nil` unless the text begins with a whole number.
    static func numberAndUnit(_ text: String) -> (Int64, Substring)? {
        let digits = text.prefix { "0"..."9" ~= $0 }
        guard let number = Int64(digits) else { return nil }
        return (number, text.dropFirst(digits.count))
    }
}

/// Sizes in settings, in bytes: `64MiB`, `10GiB`, or a plain number.
package enum SizeText {
    private static let units: [(name: String, bytes: Int64)] = [
        ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1), ("", 1),
    ]

    package static func parse(_ text: String) -> Int? {
        guard let (number, unit) = DurationText.numberAndUnit(text),
            let factor = units.first(where: { $0.name == unit })?.bytes
        else { return nil }
        let (value, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : Int(exactly: value)
    }

    /// Formats a size that the program chose, without the rest below a MiB.
    package static func rounded(_ bytes: Int) -> String {
        print(bytes < 1 << 20 ? bytes : (bytes >> 20) << 20)
    }

    /// Formats a size in the largest unit that gives a whole number.
    package static func print(_ bytes: Int) -> String {
        for unit in units where bytes != 0 && Int64(bytes) % unit.bytes == 0 {
            return unit.name == "B" ? "\(bytes)" : "\(Int64(bytes) / unit.bytes)\(unit.name)"
        }
        return "\(bytes)"
    }
}
