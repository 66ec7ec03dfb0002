import Foundation
import Hashing
import TestSupport
import Testing

@testable import Store

/// A fresh directory for one test, removed with its owner.
final class StoreScratch: Sendable {
    let path: String

    /// A directory that is in memory on every Linux.
    static let memory = "/dev/shm"

    init(in parent: String = FileManager.default.temporaryDirectory.path) throws {
        let name = "vitrine-store-\(UUID().uuidString)"
        path = URL(fileURLWithPath: parent).appendingPathComponent(name).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("\(path) stays: \(error)")
        }
    }

    /// Whether a directory is on a tmpfs.
    static func isInMemory(_ path: String) -> Bool {
        guard let mounts = try? String(contentsOfFile: "/proc/mounts", encoding: .utf8) else {
            return false
        }
        var nearest = (directory: "", type: "")
        for mount in mounts.split(separator: "\n") {
            // Device, directory, type, options.
            let fields = mount.split(separator: " ").map(String.init)
            guard fields.count > 2, fields[1].count >= nearest.directory.count else { continue }
            let prefix = fields[1] == "/" ? "/" : fields[1] + "/"
            if (path + "/").hasPrefix(prefix) { nearest = (fields[1], fields[2]) }
        }
        return nearest.type == "tmpfs"
    }

    /// Where the blob of a digest lies.
    func blob(_ digest: Digest) -> String {
        let hex = digest.hex
        return "\(path)/v2/blobs/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))/\(hex)"
    }

    /// Stores a blob, and returns when a change of its file would show in its times.
    func settled(_ bytes: [UInt8], in store: BlobStore) async throws -> Digest {
        let digest = try await store.put(bytes)
        let status = try #require(try fileStatus(blob(digest)))
        try await changesShow(of: blob(digest))
        #expect(FileStamp(status).isSettled)
        return digest
    }

    /// Overwrites bytes of a file in place, as a disk or a careless program would.
    func overwrite(_ path: String, with bytes: [UInt8], at offset: UInt64 = 0) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: bytes)
        try file.close()
    }

    /// Names in a directory below the root.
    func names(_ directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(directory)").sorted()
    }

    /// Makes the ledger one that was written before the machine was started.
    func makeLedgerEarlier() throws {
        let file = try FileDescriptor(opening: "\(path)/v2/shared", O_RDWR)
        let place = SharedPage.ledger
        var counts = LedgerCounts(bytes: try file.read(place.count, at: place.offset))
        for place in CountedPlace.all {
            if let usage = counts.usage(of: place) { counts.set(place, to: usage, 0) }
        }
        try file.write(counts.bytes, at: place.offset)
    }

    /// Makes a cache with a blob of a megabyte, three favorites, a pin, a search and a block, as one that an
    /// earlier layout left.
    func makeEarlierLayout() async throws {
        let blobs = try BlobStore(root: path)
        _ = try await blobs.put([UInt8](repeating: 7, count: 1_000_000))
        let index = try Index(root: path)
        try index.close()
        let userData = try UserData(root: path)
        let date = Date(timeIntervalSince1970: 1)
        for number in 0..<3 {
            _ = try await userData.addFavorite("tvmaze/show/\(number)", at: date)
        }
        try await userData.orderFavorites(["tvmaze/show/0", "tvmaze/show/2", "tvmaze/show/1"])
        _ = try await userData.pin(["tvmaze/show/9"], at: date)
        try await userData.record(
            SearchRecord(source: "tvmaze", list: "search", term: "dome", madeAt: date))
        try await userData.write([
            BlockRecord(target: "tvmaze/show/5", reason: nil, changedAt: date)
        ])
        try userData.close()
        try FileManager.default.moveItem(atPath: "\(path)/v2", toPath: "\(path)/v1")
    }

    func write(_ bytes: [UInt8], to relativePath: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(relativePath)"))
    }
}

extension SeededGenerator {
    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
