import Foundation
import Store

/// Does what `STORE_CHILD_TASK` says (`write`, `write-named` or `fill`) to the store at
/// `STORE_CHILD_ROOT`, and tells on standard output what it has done, line by line, for tests that
/// kill it or give it a small disk. (Not by arguments: Swift finds those by way of /proc.)
@main
struct StoreCrashChild {
    static func main() async {
        let environment = ProcessInfo.processInfo.environment
        let root = environment["STORE_CHILD_ROOT"] ?? ""
        do throws(StoreError) {
            switch environment["STORE_CHILD_TASK"] {
            case "write": try await write(root, .anonymous)
            case "write-named": try await write(root, .named)
            case "fill": try await fill(root)
            default: say("STORE_CHILD_TASK must be write, write-named or fill")
            }
        } catch {
            say("failed \(error)")
            exit(1)
        }
    }

    /// Blobs and their rows for ever, several at a time; a line `done HEX` for each that is in both.
    private static func write(_ root: String, _ staging: StagingMethod) async throws(StoreError) {
        let blobs = try BlobStore(root: root, staging: staging)
        let index = try Index(root: root)
        let failure: StoreError? = await withTaskGroup(of: StoreError?.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    do throws(StoreError) {
                        while true {
                            let digest = try await blobs.put(randomBytes(upTo: 600_000))
                            try await record(digest, in: index)
                            say("done \(digest.hex)")
                        }
                    } catch {
                        return error
                    }
                }
            }
            return await group.next() ?? nil
        }
        if let failure { throw failure }
    }

    /// Until the disk is full, first by blobs, then by rows; then whether what was told is there, and
    /// whether it goes on once there is space.
    private static func fill(_ root: String) async throws(StoreError) {
        let blobs = try BlobStore(root: root)
        let index = try Index(root: root)
        var stored: [Digest] = []
        do throws(StoreError) {
            while true { stored.append(try await blobs.put(randomBytes(upTo: 100_000))) }
        } catch {
            say("blobs \(error)")
        }
        let again = try await blobs.load(stored[0])
        if let again { say("known \(try await blobs.put(again) == stored[0])") }
        let report = try await blobs.verify(repair: false) { _ in }
        say("sound \(report.blobs == stored.count && report.corrupt.isEmpty)")
        say("strays \(report.strays.count)")
        var rows = 0
        do throws(StoreError) {
            while true {
                let body = randomBytes(upTo: 20_000)
                try await index.record(documents: [document("\(rows)", body)])
                rows += 1
            }
        } catch {
            say("rows \(error)")
        }
        say("rows kept \(try await index.statistics().documents == rows)")
        for digest in stored { try await blobs.remove(digest) }
        _ = try await blobs.put(randomBytes(upTo: 100_000))
        try await index.record(documents: [document("last", [1])])
        say("goes on true")
        try index.close()
    }

    private static func record(_ digest: Digest, in index: Index) async throws(StoreError) {
        let key = ThumbnailKey(original: digest, level: "m:1x1", format: "webp", recipe: "r")
        let thumbnail = ThumbnailRecord(
            key: key, digest: digest, byteCount: 0, width: 1, height: 1, renderedAt: Date())
        let binding = BindingRecord(
            item: "item/\(digest.hex)", level: "m:1x1", original: digest, url: nil, failure: nil,
            trace: [], resolvedAt: Date(), freshUntil: Date())
        try await index.record(thumbnails: [thumbnail], bindings: [binding])
    }

    private static func document(_ key: String, _ body: [UInt8]) -> DocumentRecord {
        DocumentRecord(key: key, body: body, fetchedAt: Date(), expiresAt: Date())
    }

    private static func randomBytes(upTo limit: Int) -> [UInt8] {
        let words = (0...Int.random(in: 0...limit) / 8).map { _ in UInt64.random(in: 0 ... .max) }
        return words.withUnsafeBytes { [UInt8]($0) }
    }

    /// In one unbuffered call, so that a line is whole or not there.
    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { Foundation.write(1, $0.baseAddress, $0.count) }
    }
}
