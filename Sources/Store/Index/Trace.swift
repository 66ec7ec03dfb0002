package import FoundationEssentials
import JSON

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
        let steps = steps.map { step in
            var json: JSON = ["label": .text(step.label)]
            json.add("lanes", step.lanes.map(JSON.text))
            json.add("ms", step.milliseconds.map(JSON.integer))
            json.add("note", .text(step.note))
            json.add("outcome", .text(step.outcome.rawValue))
            json.add("url", step.url.map(JSON.text))
            return json
        }
        let date = JSON.number("\(resolvedAt.timeIntervalSinceReferenceDate)")
        return JSON.object([.init("steps", .list(steps)), .init("walkedAt", date)]).bytes
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
