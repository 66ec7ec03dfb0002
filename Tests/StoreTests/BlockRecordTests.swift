import Foundation
import Store
import TestSupport
import Testing

/// The records of what is never shown, beside favorites.
@Suite(.timeLimit(.minutes(1))) struct BlockRecordTests {
    private static func day(_ number: Int) -> Date {
        Date(timeIntervalSince1970: 86_400 * Double(number))
    }

    private static let records = [
        BlockRecord(target: "tvmaze/show/1", reason: "Order 1", changedAt: day(1)),
        BlockRecord(target: "https://a.example/x", reason: nil, changedAt: day(2), origin: .file),
        BlockRecord(
            target: "sha256-00", reason: nil, changedAt: day(3), isLifted: true, origin: .derived,
            parent: "tvmaze/show/1"),
    ]

    @Test func `records of blocks are there after the database was opened again`() async throws {
        let scratch = try TemporaryDirectory()
        let userData = try UserData(root: scratch.path)
        try await userData.write(Self.records)
        try userData.close()
        let again = try UserData(root: scratch.path)
        #expect(try await again.blocks() == Self.records)
        #expect(try again.blocksNow() == Self.records)
        let changed = BlockRecord(target: "tvmaze/show/1", reason: nil, changedAt: Self.day(4))
        try await again.write([changed])
        #expect(try await again.blocks() == Array(Self.records.dropFirst()) + [changed])
        try again.close()
    }

    @Test func `records of blocks that can't be read are an error, and never count as none`()
        async throws
    {
        let scratch = try TemporaryDirectory()
        let userData = try UserData(root: scratch.path)
        try await userData.write(Self.records)
        try userData.close()
        await #expect(throws: StoreError.self) { try await userData.blocks() }
        #expect(throws: StoreError.self) { try userData.blocksNow() }
    }
}
