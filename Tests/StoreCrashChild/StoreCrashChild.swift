import Foundation
import Store

/// `StoreCrashChild write|write-named|fill ROOT`: uses a store, and tells on standard output what it
/// has done, line by line, for tests that kill it or give it a small disk.
@main
struct StoreCrashChild {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { exit(64) }
        do throws(StoreError) {
            switch arguments[1] {
            case "write": try await write(arguments[2], .anonymous)
            case "write-named": try await write(arguments[2], .named)
            case "fill": try await fill(arguments[2])
            default: exit(64)
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
                            let digest = try await blobs.put(randomBytes(upTo: 1_000_000))
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
        guard let first = stored.first, let again = try await blobs.load(first) else { return }
        say("known \(try await blobs.put(again) == first)")
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

    /// Cheap to make, so that most of the time goes into the store.
    private static func randomBytes(upTo limit: Int) -> [UInt8] {
        let chance = UInt64.random(in: 0...UInt64.max)
        let rest = [UInt8](repeating: 7, count: Int.random(in: 0...limit))
        return withUnsafeBytes(of: chance) { [UInt8]($0) } + rest
    }

    /// In one unbuffered call, so that a line is whole or not there. Ends the process when nobody
    /// listens any more: a test that was stopped must not leave a writer that fills the disk.
    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        let written = bytes.withUnsafeBytes { Foundation.write(1, $0.baseAddress, $0.count) }
        if written != bytes.count { exit(1) }
    }
}
