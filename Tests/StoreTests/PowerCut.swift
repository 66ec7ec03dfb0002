import Foundation
import TestSupport

@testable import Store

/// A power cut: everything that a program had not synced is dropped, or not, at random.
///
/// ``SyncWatch`` knows what was synced. Of the rest, any subset may have reached
/// the disk: each name that was made or removed, and each 4,096 bytes of each file.
struct PowerCut {
    private static let page = 4_096

    private let watch: SyncWatch

    init(root: String) async throws { watch = try await SyncWatch(root: root) }

    private var root: String { watch.root }

    /// The beginning of a command that is watched.
    var wrapper: [String] {
        ["/usr/bin/env"] + watch.environment.map { "\($0.key)=\($0.value)" }
    }

    /// Counts everything that is there as synced. Call it before each program.
    func begin() throws {
        for kind in ["data", "names"] {
            let directory = watch.records(kind)
            for name in try directoryNames(directory) { unlink("\(directory)/\(name)") }
        }
        try remember(directory: root)
    }

    /// Cuts the power after the program was killed.
    ///
    /// - Parameter spared: a directory whose files happened to reach the disk, and whose own name
    ///   did.
    func strike(_ random: inout SeededGenerator, sparing spared: String? = nil) throws {
        try settle(root, &random, spared)
    }

    /// Drops names in a directory that were not synced, then the same in what is left.
    private func settle(
        _ directory: String, _ random: inout SeededGenerator, _ spared: String?
    ) throws {
        let now = try entries(directory)
        let synced = try syncedEntries(try inode(directory))
        for name in Set(now.keys).union(synced.keys).sorted() {
            let path = directory + "/" + name
            if path == spared { continue }
            let isAbove = spared?.hasPrefix(path + "/") == true
            if !isAbove, now[name] != synced[name], Bool.random(using: &random) {
                if now[name] != nil { try FileManager.default.removeItem(atPath: path) }
                if let old = synced[name] { try restore(old, at: path) }
                // What was restored is as it was.
                continue
            }
            guard let status = try fileStatus(path) else { continue }
            if status.isDirectory {
                try settle(path, &random, spared)
            } else if status.isRegular {
                try settle(file: path, status.st_ino, &random)
            }
        }
    }

    /// Takes each page of a file as it is now or as it was synced last.
    private func settle(
        file path: String, _ inode: ino_t, _ random: inout SeededGenerator
    ) throws {
        let now = try bytes(path)
        let synced = try record("data", inode) ?? []
        if now == synced { return }
        var mixed = Bool.random(using: &random) ? now : synced
        for start in stride(from: 0, to: mixed.count, by: Self.page) {
            let end = min(start + Self.page, mixed.count)
            let source = Bool.random(using: &random) ? now : synced
            for place in start..<end { mixed[place] = place < source.count ? source[place] : 0 }
        }
        // In place, so that the inode stays.
        let file = try FileDescriptor(opening: path, O_RDWR | O_TRUNC)
        try file.write(mixed, at: 0)
    }

    /// Brings back what was removed and whose removal was not synced.
    private func restore(_ inode: ino_t, at path: String) throws {
        if let data = try record("data", inode) {
            try Data(data).write(to: URL(fileURLWithPath: path))
        } else if try record("names", inode) != nil {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false)
            for (name, child) in try syncedEntries(inode) {
                try restore(child, at: path + "/" + name)
            }
        }
    }

    private func remember(directory: String) throws {
        let entries = try entries(directory)
        let lines = entries.map { "\($0.value) \($0.key)\n" }.joined()
        try keep("names", try inode(directory), Array(lines.utf8))
        for name in entries.keys {
            let path = directory + "/" + name
            guard let status = try fileStatus(path) else { continue }
            if status.isDirectory {
                try remember(directory: path)
            } else {
                try keep("data", status.st_ino, try bytes(path))
            }
        }
    }

    private func inode(_ path: String) throws -> ino_t { try fileStatus(path)?.st_ino ?? 0 }

    private func entries(_ directory: String) throws -> [String: ino_t] {
        var entries: [String: ino_t] = [:]
        for name in try directoryNames(directory) {
            entries[name] = try inode("\(directory)/\(name)")
        }
        return entries
    }

    private func syncedEntries(_ inode: ino_t) throws -> [String: ino_t] {
        let text = String(decoding: try record("names", inode) ?? [], as: UTF8.self)
        var entries: [String: ino_t] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 1)
            entries[String(words[1])] = ino_t(words[0])
        }
        return entries
    }

    private func record(_ kind: String, _ inode: ino_t) throws -> [UInt8]? {
        let path = "\(watch.records(kind))/\(inode)"
        return try fileStatus(path) == nil ? nil : try bytes(path)
    }

    private func keep(_ kind: String, _ inode: ino_t, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(watch.records(kind))/\(inode)"))
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
}
