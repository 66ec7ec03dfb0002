import App
import ArgumentParser
import Console
import Hashing
import Store
import Threads

struct CacheVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read every blob and check it against its name and the index.",
        usage: "vitrine cache verify [<options>]",
        discussion: "Exits with 0 if no problem was found, otherwise with 3.")

    @Flag(
        help: """
            Quarantine corrupt blobs, forget missing ones, so that they are made again, and remove \
            blobs that the index doesn't name.
            """)
    var repair = false

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var shared: SharedOptions

    struct Summary: Encodable {
        var blobs: Int
        var bytes: Int
        /// Blobs whose bytes don't match their name.
        var corrupt: [String]
        /// Files in the wrong place.
        var strays: [String]
        /// Blobs that are in the index but not on disk.
        var missing: [String]
        /// Blobs that are not in the index.
        var orphans: [String]
        /// Why files and directories could not be looked at.
        var unreadable: [String]
        /// Problems that SQLite reports.
        var complaints: [String]
        /// Counters of the index that were wrong.
        var miscounted: [String]
        var repaired: Bool

        init(
            blobs: BlobStore.Verification, index: IndexVerification, orphans: [Digest],
            repaired: Bool
        ) {
            self.blobs = blobs.blobs
            bytes = blobs.bytes
            corrupt = blobs.corrupt.map(\.description)
            strays = blobs.strays
            unreadable = Set(blobs.unreadable.map(\.description)).sorted()
            missing = index.missing.map(\.description)
            self.orphans = orphans.map(\.description)
            complaints = index.complaints
            miscounted = index.miscounted
            self.repaired = repaired
        }

        var isClean: Bool {
            corrupt.isEmpty && strays.isEmpty && missing.isEmpty && orphans.isEmpty
                && complaints.isEmpty && miscounted.isEmpty && unreadable.isEmpty
        }

        /// One line per problem, then the totals.
        var text: String {
            let finds =
                corrupt.map { "corrupt  \($0)" } + strays.map { "stray    \($0)" }
                + missing.map { "missing  \($0)" } + orphans.map { "orphan   \($0)" }
                + complaints.map { "index    \($0)" } + miscounted.map { "counter  \($0)" }
                + unreadable.map { "closed   \($0)" }
            let read =
                "\(ReadableText.counted(blobs, "blob")) read, "
                + ReadableText.megabytes(bytes)
            let sum =
                isClean
                ? "\(read): no problems"
                : "\(read): \(corrupt.count) corrupt, \(strays.count) stray, "
                    + "\(missing.count) missing, \(ReadableText.counted(orphans.count, "orphan")), "
                    + "\(complaints.count + miscounted.count) in the index"
                    + (unreadable.isEmpty ? "" : ", \(unreadable.count) closed")
                    + (repaired ? "; repaired" : "; repair the cache with --repair")
            return (finds + [sum]).joined(separator: "\n")
        }
    }

    func run() async throws {
        let settings = try shared.start()
        let summary = try await OpenCache.during(settings) { cache in
            try await checked(cache, in: settings.cacheDirectory)
        }
        print(json ? try compactJSON(summary) : summary.text)
        if !summary.isClean { throw ExitCode(3) }
    }

    private func checked(_ cache: OpenCache, in directory: String) async throws -> Summary {
        let (blobs, index) = (cache.blobs, cache.index)
        let total = cache.upkeep.status.usage.files
        let progress = ProgressLine(plainInterval: nil)
        let began = ContinuousClock.now
        let blobCheck = try await blobs.verify(repair: repair) { done in
            progress.update(
                ProgressReport(noun: "blobs", done: done, total: total, elapsed: .now - began))
        }
        var indexCheck = try await index.verify(against: blobs, repair: repair)
        indexCheck.complaints += try await complaintsOfUserData(directory)
        // An index that was emptied names nothing.
        let orphans =
            indexCheck.complaints.isEmpty
            ? try await cache.upkeep.orphans.all(removing: repair) : []
        progress.finish()
        return Summary(blobs: blobCheck, index: indexCheck, orphans: orphans, repaired: repair)
    }

    /// Returns complaints about the database of favorites and searches. With `repair` a damaged one
    /// is replaced by one with its readable rows.
    private func complaintsOfUserData(_ directory: String) async throws -> [String] {
        guard UserData.exist(under: directory) else { return [] }
        let userData = try await FileThreads.run { () throws(StoreError) in
            try UserData(root: directory)
        }
        let complaints = try await userData.verify(repair: repair)
        try await FileThreads.run { () throws(StoreError) in try userData.close() }
        let opened = userData.status.setAside > 0 && complaints.isEmpty
        return complaints.map { "keepsakes: \($0)" }
            + (opened ? ["keepsakes: damaged, moved aside and replaced"] : [])
    }
}
