package import FoundationEssentials

/// The steps of resolving an item's picture, with the reason for each. Kept with the result.
package struct Trace: Sendable, Equatable, Codable {
    package struct Step: Sendable, Equatable, Codable {
        package enum Outcome: String, Sendable, Codable {
            /// The picture came from here.
            case chosen
            /// Went on to the next step.
            case failed
            /// Not asked: an earlier failure is still remembered.
            case remembered
            /// The chain went on with another item, or a catalog answered.
            case followed
        }

        /// `catalog`, or the candidate's label.
        package var label: String
        package var url: String?
        package var outcome: Outcome
        /// What happened, for people.
        package var note: String
        /// How long the answer took: of an origin without the wait for its turn, of a catalog with
        /// it. Nil if nothing was asked.
        package var milliseconds: Int?
        /// The lanes that made thumbnails of the picture, such as `planar, libvips`; nil if none was
        /// made.
        package var lanes: String?

        package init(
            label: String, url: String? = nil, outcome: Outcome, note: String,
            milliseconds: Int? = nil, lanes: String? = nil
        ) {
            self.label = label
            self.url = url
            self.outcome = outcome
            self.note = note
            self.milliseconds = milliseconds
            self.lanes = lanes
        }

        /// The names in stored traces.
        private enum CodingKeys: String, CodingKey {
            case label, url, outcome, note, lanes
            case milliseconds = "ms"
        }
    }

    package var resolvedAt: Date
    package var steps: [Step] = []

    /// The names in stored traces.
    private enum CodingKeys: String, CodingKey {
        case resolvedAt = "walkedAt"
        case steps
    }

    package init(resolvedAt: Date) {
        self.resolvedAt = resolvedAt
    }

    /// Whether the picture is not the first choice.
    package var fellBack: Bool {
        steps.contains { $0.outcome == .chosen }
            && steps.contains { $0.outcome == .failed || $0.outcome == .remembered }
    }

    package func encoded() -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(256)
        text += #"{"steps":["#.utf8
        for (index, step) in steps.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text += #"{"label":"#.utf8
            Self.add(step.label, to: &text)
            if let lanes = step.lanes {
                text += #","lanes":"#.utf8
                Self.add(lanes, to: &text)
            }
            if let milliseconds = step.milliseconds { text += #","ms":\#(milliseconds)"#.utf8 }
            text += #","note":"#.utf8
            Self.add(step.note, to: &text)
            text += #","outcome":"#.utf8
            Self.add(step.outcome.rawValue, to: &text)
            if let url = step.url {
                text += #","url":"#.utf8
                Self.add(url, to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
        text += #"],"walkedAt":\#(resolvedAt.timeIntervalSinceReferenceDate)}"#.utf8
        return text
    }

    /// Adds a JSON string.
    private static func add(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                text.append(UInt8(ascii: "\\"))
                text.append(byte)
            case ..<0x20:
                text += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }

    /// Returns `nil` if the bytes are not a trace.
    package init?(encoded bytes: [UInt8]) {
        // A trace of another version may be unreadable. It is only shown, so it is dropped.
        guard let trace = try? JSONDecoder().decode(Trace.self, from: Data(bytes)) else {
            return nil
        }
        self = trace
    }
}

/// A trace as the index has it. Decoded only when it is shown.
package struct StoredTrace: Sendable, Equatable, Codable {
    /// JSON.
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }
    package init(_ trace: Trace) { bytes = trace.encoded() }

    /// Nil if it can't be read.
    package var trace: Trace? { Trace(encoded: bytes) }

    package init(from decoder: any Decoder) throws {
        self.init(try Trace(from: decoder))
    }

    /// Encodes the trace itself. One that can't be read has no steps.
    package func encode(to encoder: any Encoder) throws {
        try (trace ?? Trace(resolvedAt: Date(timeIntervalSince1970: 0))).encode(to: encoder)
    }
}
