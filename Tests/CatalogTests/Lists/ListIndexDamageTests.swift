import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Catalog

/// An index of a list that a disk, a power cut or a half restored backup has damaged.
@Suite(.timeLimit(.minutes(1))) struct ListIndexDamageTests {
    private let directory: TemporaryDirectory
    private let reports = Reports()

    final class Reports: Sendable {
        let all = Mutex<[String]>([])
        var list: [String] { all.withLock { $0 } }
    }

    private static let rows = 5
    private static let text =
        "sku,name,poster\n" + (1...rows).map { "S\($0),Title \($0),https://a/\($0).jpg\n" }.joined()

    init() throws { directory = try TemporaryDirectory() }

    private var list: String { directory.file("posters.csv") }
    private var index: String { directory.file("lists/posters.index") }

    /// The bytes of the index of the list.
    private func sound() throws -> [UInt8] {
        try directory.write(Array(Self.text.utf8), to: "posters.csv")
        try FileManager.default.createDirectory(
            atPath: directory.file("lists"), withIntermediateDirectories: true)
        let stamp = try #require(ListStamp(list, ListStamp.reading(ListColumns())))
        _ = try ListIndexWriter.write(list, ListColumns(), stamp, to: index)
        return try [UInt8](Data(contentsOf: URL(filePath: index)))
    }

    /// Reads all that a service reads of an index. Returns the lines of the rows that were found in their order,
    /// and by their ids; nil if the index is known to be damaged.
    private func lines(_ bytes: [UInt8]) throws -> (ordered: [Int], byID: [Int])? {
        try directory.write(bytes, to: "read.index")
        let index: ListIndex
        do throws(ListIndex.Damage) {
            guard let stored = try ListIndex.stored(at: directory.file("read.index")) else {
                return nil
            }
            index = stored
        } catch {
            return nil
        }
        let listed = index.head.listedRows
        #expect(listed.all >= index.count)
        _ = index.pictures(showing: ["https://a/5.jpg"], among: 50_000)
        _ = index.pictures(10_000_000_000..<10_000_000_100)
        for isReversed in [false, true] {
            _ = index.search(
                ListSearch(words: "a1", title: nil), from: 0, limit: 3, isReversed: isReversed)
        }
        let ordered = index.pictures(0..<100).map(\.line)
        let byID = (1...Self.rows + 1).compactMap { index.picture("S\($0)")?.line }
        return index.foundDamage == nil ? (ordered, byID) : nil
    }

    /// Makes all checksums of damaged bytes right, as if they had been written so.
    private func sealed(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let words = bytes.words
        let (sums, key, size) = (words[13], words[14], Int(ListIndex.blockBytes))
        let head = ListIndex.Head.byteCount
        bytes.replaceSubrange(
            152..<160, with: [UInt8](littleEndian: [ListIndex.hash(Array(bytes[..<152]), 0)]))
        guard sums <= UInt64(bytes.count), Int(sums) > head else { return bytes }
        for (number, start) in stride(from: head, to: Int(sums), by: size).enumerated() {
            let block = bytes[start..<min(Int(sums), start + size)]
            let place = Int(sums) + number * 8
            guard place + 8 <= bytes.count else { break }
            bytes.replaceSubrange(
                place..<place + 8,
                with: [UInt8](littleEndian: [ListIndex.sum(block, UInt64(number), key)]))
        }
        return bytes
    }

    @Test func `a number that is wrong anywhere in an index is found, or changes nothing`() throws {
        let sound = try sound()
        let all = Array(2...Self.rows + 1)
        let whole = try #require(try lines(sound))
        #expect(whole == (all, all))
        for damaged in DamagedBytes.withNumbers(sound, at: stride(from: 0, to: sound.count, by: 2))
        where damaged != sound {
            let read = try lines(damaged)
            #expect(read == nil || read ?? whole == whole)
        }
    }

    @Test func `no number of an index is believed because its checksum is right`() throws {
        let sound = try sound()
        for damaged in DamagedBytes.withNumbers(sound, at: stride(from: 0, to: sound.count, by: 2))
        {
            let read = try lines(sealed(damaged))
            #expect(read?.ordered.count ?? 0 <= Self.rows + 1)
        }
    }

    @Test func `an index that is cut is damaged`() throws {
        for cut in DamagedBytes.cuts(try sound()) { #expect(try lines(cut) == nil) }
    }

    // MARK: - What a service makes of it

    private func source() -> ListSource {
        ListSource(
            ListFile(
                ListDefinition(name: "posters", title: "Posters", place: list),
                directory: directory.file("lists")
            ) { [reports] text in
                reports.all.withLock { $0.append(text) }
            })
    }

    private func titles() async throws -> [String] {
        let source = source()
        let query = try source.query(list: "pictures", parameters: [:])
        let page = try #require(try await source.page(query, api: ScriptedAPI([:])))
        return page.items.map(\.entry.title)
    }

    private static let titles = (1...rows).map { "Title \($0)" }

    /// Of the head, and of the title of the first row.
    @Test(arguments: [
        (nil, "its beginning doesn't match its checksum"),
        ("Title 1", "a part doesn't match its checksum"),
    ])
    func `a damaged index is named and made again`(title: String?, reason: String) async throws {
        var bytes = try sound()
        let part = title.flatMap { bytes.firstRange(of: Array($0.utf8)) }
        #expect((part == nil) == (title == nil))
        let place = part?.lowerBound ?? 56
        bytes[place] ^= 0x40
        try directory.write(bytes, to: "lists/posters.index")
        for _ in 1...2 { #expect(try await titles() == Self.titles) }
        #expect(
            reports.list == [
                "The index \(index) of the list “posters” is damaged: \(reason). It is made again."
            ])
    }

    @Test func `a row that can't be read by its id is not taken for missing`() async throws {
        var bytes = try sound()
        bytes[150] ^= 0x40
        try directory.write(bytes, to: "lists/posters.index")
        let source = source()
        let item = try source.item(kind: "picture", id: "S3")
        let picture = try await source.pictured(item, api: nil)
        #expect(picture.flatMap { SignedURL.url(ofID: $0.id) } == "https://a/3.jpg")
        #expect(reports.list.count == 1)
    }

    @Test(arguments: [
        ("fifo", "it is a named pipe, not a file"),
        ("loop", "it can't be opened: Too many levels of symbolic links"),
    ])
    func
        `a pipe or a loop of links in the place of an index is named and replaced, and nothing waits`(
            kind: String, reason: String
        ) async throws
    {
        _ = try sound()
        try FileManager.default.removeItem(atPath: index)
        #expect(kind == "fifo" ? mkfifo(index, 0o600) == 0 : symlink(index, index) == 0)
        #expect(try await titles() == Self.titles)
        #expect(
            reports.list == [
                "The index \(index) of the list “posters” is damaged: \(reason). It is made again."
            ])
    }

    @Test func `a directory in the place of an index is named, and the list can't be read`()
        async throws
    {
        _ = try sound()
        try FileManager.default.removeItem(atPath: index)
        try FileManager.default.createDirectory(
            atPath: index, withIntermediateDirectories: false)
        let failure = await #expect(throws: Failure.self) { _ = try await titles() }
        // Only the log has the path.
        #expect(
            failure?.reason
                == "The list “posters” can't be read. posters.csv: Can't write posters.index: "
                + "Is a directory.")
        #expect(reports.list.first?.contains("it is a directory, not a file") == true)
        #expect(reports.list.last?.hasSuffix("Can't write \(index): Is a directory.") == true)
    }

    @Test func `a pipe in the place of the copy of a list on a server is replaced`() async throws {
        let place = "https://shop.example/posters.csv"
        try FileManager.default.createDirectory(
            atPath: directory.file("lists"), withIntermediateDirectories: true)
        #expect(mkfifo(directory.file("lists/posters.list"), 0o600) == 0)
        let source = ListSource(
            ListFile(
                ListDefinition(name: "posters", title: "Posters", place: place),
                directory: directory.file("lists")
            ) { _ in })
        let api = ScriptedAPI(json: [place: "id,image\nS1,https://a/1.jpg\n"])
        let query = try source.query(list: "pictures", parameters: [:])
        #expect(try await source.page(query, api: api)?.items.count == 1)
    }

    @Test func `an index has another key whenever it is made`() throws {
        let keys = try (1...2).map { _ in try sound().words[14] }
        #expect(keys[0] != keys[1])
    }
}
