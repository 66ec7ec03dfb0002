import Foundation
import Store

/// `StoreCrashChild write|write-named|fill|free|go-on|read-only ROOT`,
/// `StoreCrashChild look|die-looking ROOT HEX`: uses a store, and tells on standard output what it
/// has done, line by line, for tests that kill it or give it a small disk.
@main
struct StoreCrashChild {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 || arguments.count == 4 else { exit(64) }
        do throws(StoreError) {
            switch arguments[1] {
            case "write": try await write(arguments[2], .anonymous)
            case "write-named": try await write(arguments[2], .named)
            case "fill": try await fill(arguments[2])
            case "free": try await free(arguments[2])
            case "go-on": try await goOn(arguments[2])
            case "read-only": try await readOnly(arguments[2])
            case "look", "die-looking": await look(arguments)
            default: exit(64)
            }
        } catch {
            say("failed \(error)")
            exit(1)
        }
    }

    /// Blobs and their rows for ever, several at a time; a line `done HEX` for each that is in
    /// both.
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

    /// Notes the originals that are named, all but the last come through; then it dies, or waits.
    private static func look(_ arguments: [String]) async {
        let journal = RenderJournal(root: arguments[2])
        let digests = arguments.last?.split(separator: ",").compactMap { Digest(hex: String($0)) }
        var last: RenderJournal.Entry?
        for digest in digests ?? [] {
            if let last { await journal.end(last) }
            last = await journal.begin(digest)
        }
        if arguments[1] == "die-looking" { abort() }
        say("looking")
        while true { pause() }
    }

    /// Until the disk is full, first by blobs, then by rows; then whether what was told is there,
    /// and whether it continues once the disk has space.
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

    /// Fills the index and then the disk. Then it removes rows: some, one item, those without blobs,
    /// and all.
    private static func free(_ root: String) async throws(StoreError) {
        let blobs = try BlobStore(root: root)
        let index = try Index(root: root)
        let absent = (0..<300).map { rows(of: Digest(of: Array("\($0)".utf8))) }
        try await index.record(thumbnails: absent.map(\.0), bindings: absent.map(\.1))
        let kept = try await blobs.put([1])
        try await record(kept, in: index)
        let other = try await blobs.put([2])
        try await record(other, in: index)
        takeAllSpace(root + "/filler")
        let bytes = randomBytes(upTo: 60_000) + [UInt8](repeating: 1, count: 60_000)
        do throws(StoreError) {
            while true { try await index.record(documents: [document("filler", bytes)]) }
        } catch {
            say("full \(error == .diskFull(path: root))")
        }
        say("item \(try await purge(.item("item/\(other.hex)"), index).orphans == [other])")
        say("missing \(try await index.verify(against: blobs, repair: true).missing.count)")
        say("items \(try await index.statistics().items)")
        say("all \(try await purge(.all, index).orphans == [kept])")
        say("items \(try await index.statistics().items)")
        say("sound \(try await index.verify(against: blobs, repair: false) == IndexVerification())")
        try index.close()
    }

    private static func purge(
        _ items: PurgeRequest.Items, _ index: Index
    ) async throws(StoreError) -> IndexPurge {
        try await index.purge(
            PurgeRequest(
                items: items, mode: .hard, isDocument: { _ in items == .all },
                addresses: { _ in [] }))
    }

    /// Opens everything on a disk that is full already, and uses it until there is space again.
    private static func goOn(_ root: String) async throws(StoreError) {
        let filler = root + "/filler"
        takeAllSpace(filler)
        let policy = StorePolicy(
            unsavedBytes: 8 << 20, pause: .milliseconds(1), maxPause: .milliseconds(5))
        let blobs = try BlobStore(root: root, policy: policy)
        let index = try Index(root: root, policy: policy)
        let userData = try UserData(root: root, policy: policy)
        say("favorites \(try await userData.favorites().count)")
        do throws(StoreError) {
            _ = try await userData.addFavorite("a/b/1", at: Date())
            say("favorite kept")
        } catch {
            say("favorite refused")
        }
        let bytes = randomBytes(upTo: 100_000)
        let digest = try await blobs.keep(bytes)
        try await record(digest, in: index)
        say("blob \(try await blobs.load(digest) == bytes)")
        let binding = try await index.binding(item: "item/\(digest.hex)", level: "m:1x1")
        say("row \(binding?.original == digest)")
        let trouble = blobs.status.trouble != nil && index.status.trouble != nil
        say("trouble \(trouble)")
        unlink(filler)
        while blobs.status.trouble != nil || index.status.trouble != nil {
            _ = usleep(1_000)
        }
        say("favorite \(try await userData.addFavorite("a/b/1", at: Date()))")
        try userData.close()
        try index.close()
        let (sound, saved) = (try BlobStore(root: root), try Index(root: root))
        say("saved \(try await sound.load(digest) == bytes)")
        say("row saved \(try await saved.statistics().items == 1)")
        try saved.close()
    }

    /// Takes all the space that there is.
    private static func takeAllSpace(_ path: String) {
        let file = open(path, O_CREAT | O_WRONLY, 0o600)
        for size in [1 << 16, 1 << 10, 1] {
            let bytes = [UInt8](repeating: 1, count: size)
            while bytes.withUnsafeBytes({ Foundation.write(file, $0.baseAddress, size) }) > 0 {}
        }
        close(file)
    }

    /// Opens a store that was made before, on a disk that is read-only now; its one blob is `[1]`.
    private static func readOnly(_ root: String) async throws(StoreError) {
        let policy = StorePolicy(unsavedBytes: 8 << 20)
        let blobs = try BlobStore(root: root, policy: policy)
        let index = try Index(root: root, policy: policy)
        let userData = try UserData(root: root, policy: policy)
        let digest = Digest(of: [1])
        say("blob \(try await blobs.load(digest) == [1])")
        say("row \(try await index.original(url: "u")?.digest == digest)")
        say("favorites \(try await userData.favorites().count)")
        let kept = try await blobs.keep([2])
        try await record(kept, in: index)
        say("kept \(try await blobs.load(kept) == [2])")
        say("rows \(try await index.bindings(item: "item/\(kept.hex)").count)")
        try userData.close()
        try index.close()
    }

    private static func record(_ digest: Digest, in index: Index) async throws(StoreError) {
        let (thumbnail, binding) = rows(of: digest)
        try await index.record(thumbnails: [thumbnail], bindings: [binding])
    }

    private static func rows(of digest: Digest) -> (ThumbnailRecord, BindingRecord) {
        let key = ThumbnailKey(original: digest, level: "m:1x1", format: "webp", recipe: "r")
        let thumbnail = ThumbnailRecord(
            key: key, digest: digest, byteCount: 0, width: 1, height: 1, renderedAt: Date())
        let binding = BindingRecord(
            item: "item/\(digest.hex)", level: "m:1x1", original: digest, url: nil, failure: nil,
            trace: [], resolvedAt: Date(), freshUntil: Date())
        return (thumbnail, binding)
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

    /// Writes a line with one unbuffered call, so that it is whole or missing. Ends the process if
    /// the test is gone, so that it doesn't fill the disk.
    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        let written = bytes.withUnsafeBytes { Foundation.write(1, $0.baseAddress, $0.count) }
        if written != bytes.count { exit(1) }
    }
}
