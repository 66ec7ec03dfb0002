/// A unit of work.
package struct QueueJob: Sendable, Equatable {
    /// Jobs of the high lane are delivered first.
    package enum Lane: String, Sendable, CaseIterable, Codable {
        case high, low
    }

    /// A job with an id that was added a short time before is not added again.
    package var id: String
    package var lane: Lane
    /// Workers take the jobs of one route only, such as those of their own recipe. Letters, digits
    /// and `-`.
    package var route: String
    /// The origin that the job asks. Jobs of different origins don't wait for each other. Letters,
    /// digits and `-`.
    package var origin: String
    package var body: [UInt8]

    package init(id: String, lane: Lane = .low, route: String, origin: String, body: [UInt8]) {
        self.id = id
        self.lane = lane
        self.route = Self.token(route)
        self.origin = Self.token(origin)
        self.body = body
    }

    /// Returns the text with everything but letters, digits and `-` replaced, never empty.
    package static func token(_ text: String) -> String {
        let plain = text.utf8.prefix(64).map { byte -> UInt8 in
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: byte
            default: 0x2d
            }
        }
        return plain.isEmpty ? "-" : String(decoding: plain, as: UTF8.self)
    }
}
