import Foundation
import Hashing
import Store

/// `Helper store write|write-named|fill|free|go-on|read-only|shrink ROOT`,
/// `Helper store look|die-looking ROOT HEX`, `Helper store move|favorites|closed ROOT`, `Helper store move-full ROOT FROM`,
/// `Helper store storm|storm-power ROOT BUDGET BYTES WRITERS FIRST`: uses a store, and tells on standard output what it has done, line by line, for tests that kill it
/// or give it a small disk.
enum StoreCommand {
    static func run(_ arguments: [String]) async {
        guard arguments.count >= 2 else { exit(64) }
        let root = arguments[1]
        do throws(StoreError) {
            switch arguments[0] {
            case "write": try await write(root, .anonymous)
            case "write-named": try await write(root, .named)
            case "fill": try await fill(root)
            case "free": try await free(root)
            case "go-on": try await goOn(root)
            case "read-only": try await readOnly(root)
            case "look", "die-looking": await look(arguments)
            case "storm": try await storm(arguments, .process)
            case "storm-power": try await storm(arguments, .power)
            case "shrink": try await shrink(root)
            case "move": try await move(root)
            case "favorites": try await favorites(root)
            case "closed": try await closed(root)
            case "move-full": try await moveOnFullDisk(arguments)
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
        let journal = RenderJournal(root: arguments[1])
        let digests = arguments.last?.split(separator: ",").compactMap { Digest(hex: String($0)) }
        var last: RenderJournal.Entry?
        for digest in digests ?? [] {
            if let last { await journal.end(last) }
            last = await journal.begin(digest)
        }
        if arguments[0] == "die-looking" { abort() }
        say("looking")
        while true { pause() }
    }

    /// For ever: removes the user data and copies it again from what an earlier version left; a line with the
    /// number of its favorites each time.
    private static func move(_ root: String) async throws(StoreError) {
        while true {
            for suffix in ["", "-wal", "-shm"] {
                unlink("\(root)/v2/index/keepsakes.sqlite\(suffix)")
            }
            let userData = try UserData(root: root)
            say("\(try await userData.favorites().count)")
            try userData.close()
        }
    }

    /// Copies what an earlier version left to a disk that is full then, and opens the user data.
    private static func moveOnFullDisk(_ arguments: [String]) async throws(StoreError) {
        let root = arguments[1]
        do {
            try FileManager.default.copyItem(
                atPath: "\(arguments[2])/v1", toPath: "\(root)/v1")
        } catch {
            return say("not copied: \(error)")
        }
        takeAllSpace(root + "/filler")
        try await favorites(root, StorePolicy())
    }

    /// Tells the number of favorites.
    private static func favorites(
        _ root: String, _ policy: StorePolicy = StorePolicy(unsavedBytes: 8 << 20)
    ) async throws(StoreError) {
        let userData = try UserData(root: root, policy: policy)
        say("favorites \(try await userData.favorites().count)")
        try userData.close()
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
        try await index.record(thumbnails: absent.map(\.0), items: absent.map(\.1))
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
                items: items, expiry: nil, documents: items == .all ? .all : .none))
    }

    /// Opens everything on a disk that is full already, and uses it until there is space again.
    private static func goOn(_ root: String) async throws(StoreError) {
        let filler = root + "/filler"
        takeAllSpace(filler)
        let (events, report) = AsyncStream.makeStream(of: StoreEvent.self)
        let policy = StorePolicy(
            unsavedBytes: 8 << 20, pause: .milliseconds(1), maxPause: .milliseconds(5)
        ) { report.yield($0) }
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
        let shown = try await index.item("item/\(digest.hex)").resolution(of: "m:1x1")
        say("row \(shown?.original == digest)")
        let trouble = blobs.status.trouble != nil && index.status.trouble != nil
        say("trouble \(trouble)")
        let upkeep = Upkeep(blobs: blobs, index: index, userData: userData)
        try await upkeep.count()
        say("counted \(upkeep.status.isCounted)")
        unlink(filler)
        for await event in events where event == .caughtUp {
            if blobs.status.trouble == nil, index.status.trouble == nil { break }
        }
        say("favorite \(try await userData.addFavorite("a/b/1", at: Date()))")
        try userData.close()
        try index.close()
        let (sound, saved) = (try BlobStore(root: root), try Index(root: root))
        say("saved \(try await sound.load(digest) == bytes)")
        say("row saved \(try await saved.statistics().items == 1)")
        try saved.close()
    }

    private static func storm(
        _ arguments: [String], _ durability: Durability
    ) async throws(StoreError) {
        let numbers = arguments.dropFirst(2).compactMap { Int($0) }
        guard numbers.count == 4 else { exit(64) }
        try await Storm(
            root: arguments[1], budget: numbers[0], bytes: numbers[1], writers: numbers[2],
            first: numbers[3], durability: durability
        ).run()
    }

    /// Bytes that `shrink` leaves to other programs, on a disk of 16 MB.
    private static let minFree = 2 << 20

    /// Stores pictures on a disk that another file then fills, and says whether the cache gave way;
    /// then the same with a file that takes all of it.
    private static func shrink(_ root: String) async throws(StoreError) {
        var policy = StorePolicy()
        policy.limits = DiskLimits(bytes: .max, files: .max, minFree: minFree)
        let blobs = try BlobStore(root: root, policy: policy)
        let index = try Index(root: root)
        let userData = try UserData(root: root)
        let upkeep = Upkeep(blobs: blobs, index: index, userData: userData)
        for _ in 0..<60 {
            try await record(try await blobs.put(randomBytes(of: 60_000)), in: index)
        }
        let before = try await blobs.statistics().blobs
        take(free(root) - minFree / 4, of: root + "/other")
        let freed = try await upkeep.evictToBudget()
        let after = try await blobs.statistics().blobs
        say("shrunk \(freed.files == before - after && freed.files > 0 && after > 0)")
        say("free \(free(root) >= minFree)")
        _ = try await blobs.put(randomBytes(of: 60_000))
        say("free after a put \(free(root) >= minFree)")
        takeAllSpace(root + "/filler")
        let full = try await blobs.statistics().blobs
        let more = try await upkeep.evictToBudget()
        say("evicted \(more.files > 0)")
        unlink(root + "/other")
        let gone = try await blobs.statistics().blobs
        say("blobs are gone \(full - gone == more.files)")
        unlink(root + "/filler")
        try userData.close()
        try index.close()
        try await freeSpace(root)
    }

    /// Frees space on a disk that is full.
    private static func freeSpace(_ root: String) async throws(StoreError) {
        let (blobs, index) = (try BlobStore(root: root), try Index(root: root))
        let userData = try UserData(root: root)
        let upkeep = Upkeep(blobs: blobs, index: index, userData: userData)
        _ = try await upkeep.removeAllBlobs()
        _ = try await upkeep.collectGarbage()
        for _ in 0..<8 { try await record(try await blobs.put(randomBytes(of: 60_000)), in: index) }
        let orphan = try await blobs.put([1])
        let damaged = Digest(of: [2])
        mkdir("\(root)/v2/quarantine", 0o700)
        write([3], to: "\(root)/v2/quarantine/1-damaged-\(damaged.hex)")
        let thumbnails = try await blobs.statistics().blobs - 1

        takeAllSpace(root + "/filler")
        let receipt = try await upkeep.collectGarbage(grace: 0)
        let (orphans, leftovers) = (receipt.orphans, receipt.leftovers)
        say("garbage \(orphans) \(leftovers) \(try await !blobs.contains(orphan))")
        takeAllSpace(root + "/filler")
        let removed = try await upkeep.removeAllBlobs()
        let left = try await blobs.statistics().blobs
        say("removed \(removed.files == thumbnails && left == 0)")
        // What rows are left without blobs goes now or later.
        takeAllSpace(root + "/filler")
        write([3], to: "\(root)/v2/staging/left")
        let first = try await upkeep.collectGarbage(grace: 0)
        say("garbage \(first.leftovers)")
        unlink(root + "/filler")
        _ = try await upkeep.collectGarbage(grace: 0)
        say("rows \(try await index.statistics().thumbnails)")
        try await record(try await blobs.put(randomBytes(of: 60_000)), in: index)
        say("goes on \(try await blobs.statistics().blobs == 1)")
        try userData.close()
        try index.close()
    }

    /// Bytes that are free on the file system of a path.
    private static func free(_ path: String) -> Int {
        var status = statvfs()
        statvfs(path, &status)
        return Int(status.f_bavail * status.f_frsize)
    }

    private static func take(_ count: Int, of path: String) {
        let file = open(path, O_CREAT | O_WRONLY, 0o600)
        posix_fallocate(file, 0, off_t(count))
        close(file)
    }

    private static func write(_ bytes: [UInt8], to path: String) {
        let file = open(path, O_CREAT | O_WRONLY, 0o600)
        _ = bytes.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
        close(file)
    }

    /// Takes all the space that there is.
    private static func takeAllSpace(_ path: String) {
        let file = open(path, O_CREAT | O_WRONLY | O_APPEND, 0o600)
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
        say("rows \(try await index.item("item/\(kept.hex)").resolutions.count)")
        try userData.close()
        try index.close()
    }

    private static func record(_ digest: Digest, in index: Index) async throws(StoreError) {
        let (thumbnail, item) = rows(of: digest)
        try await index.record(thumbnails: [thumbnail], items: [item])
    }

    private static func rows(of digest: Digest) -> (ThumbnailRecord, ItemRecord) {
        let key = ThumbnailKey(original: digest, level: "m:1x1", format: "webp", recipe: "r")
        let thumbnail = ThumbnailRecord(
            key,
            PictureFacts(
                digest: digest, byteCount: 0, width: 1, height: 1, renderedAt: Date()))
        let item = ItemRecord(
            "item/\(digest.hex)",
            [
                .init(
                    levels: ["m:1x1"], original: digest, url: nil, failure: nil, trace: nil,
                    resolvedAt: Date(), freshUntil: Date())
            ])
        return (thumbnail, item)
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

    private static func randomBytes(of count: Int) -> [UInt8] {
        let chance = UInt64.random(in: 0...UInt64.max)
        return withUnsafeBytes(of: chance) { [UInt8]($0) } + [UInt8](repeating: 7, count: count - 8)
    }

    /// Writes a line with one unbuffered call, so that it is whole or missing. Ends the process if
    /// the test is gone, so that it doesn't fill the disk.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        let written = bytes.withUnsafeBytes { Foundation.write(1, $0.baseAddress, $0.count) }
        if written != bytes.count { exit(1) }
    }
}
