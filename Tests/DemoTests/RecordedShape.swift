import Foundation
import TestSupport
import Testing

@testable import Demo

/// Which fields a JSON document has, however deep, without its values.
struct RecordedShape {
    /// Paths such as `results[].artworkUrl100`.
    let paths: Set<String>

    init(_ bytes: [UInt8]) throws {
        paths = Self.paths(
            try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed), "")
    }

    /// A recorded answer of the real API, `tvmaze/show-183-images.json`.
    init?(recording name: String) throws {
        try self.init(
            Array(Data(contentsOf: Fixtures.recordings.appendingPathComponent(name))))
    }

    /// Expects that documents have no field that the recorded ones lack, besides those at the given
    /// paths, which recordings leave out because they were trimmed or are old.
    static func expect(
        _ demo: PlayedDemo, _ documents: [(url: String, recording: String)],
        besides others: [String] = [], _ change: (inout DemoRequest) -> Void = { _ in }
    ) async throws {
        for (url, name) in documents {
            guard let recorded = try RecordedShape(recording: name) else { return }
            let answer = await demo.answer(url, change)
            #expect(answer.status == 200, "\(url)")
            let played = try RecordedShape(answer.body)
            let new = played.paths.subtracting(recorded.paths).filter { path in
                !others.contains { path.hasPrefix($0) }
            }
            #expect(new.sorted() == [], "\(name)")
        }
    }

    private static func paths(_ value: Any, _ path: String) -> Set<String> {
        switch value {
        case let fields as [String: Any]:
            fields.reduce(into: []) { paths, field in
                let name = path.isEmpty ? field.key : "\(path).\(field.key)"
                paths.insert(name)
                paths.formUnion(Self.paths(field.value, name))
            }
        case let elements as [Any]:
            elements.reduce(into: []) { $0.formUnion(Self.paths($1, path + "[]")) }
        default: []
        }
    }
}
