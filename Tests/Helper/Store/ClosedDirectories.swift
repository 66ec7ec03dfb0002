import Foundation
import Hashing
import Store
import TestSupport

extension StoreCommand {
    private static let nobody: uid_t = 65_534

    /// `Helper store closed ROOT`: some directories of blobs are closed to a store that works from memory. Tells
    /// what became of the blobs in them, and of all others. Root gives the directory to another account and takes
    /// that account's rights, because no directory is closed to root.
    static func closed(_ root: String) async throws(StoreError) {
        if geteuid() == 0 {
            chown(root, nobody, nobody)
            guard let owner = CacheOwner.besidesRoot(of: root), owner.takeRights() else { exit(65) }
        }
        say("root \(geteuid() == 0)")
        let events = Watched<[StoreEvent]>([])
        let policy = StorePolicy(
            unsavedBytes: 8 << 20, pause: .milliseconds(1), maxPause: .milliseconds(5),
            report: { event in events.change { $0.append(event) } })
        let blobs = try BlobStore(root: root, policy: policy)
        var early: [Digest] = []
        for number in 0..<512 { early.append(try await blobs.keep(bytes(number))) }
        let fans = Set(early.map(fan)).filter { $0 < "40" }
        for fan in fans { chmod("\(root)/v2/blobs/\(fan)", 0) }
        var late: [Digest] = []
        for number in 512..<1_024 { late.append(try await blobs.keep(bytes(number))) }
        let waiting = late.filter { fans.contains(fan($0)) }
        let others = late.filter { !fans.contains(fan($0)) }
        say("others stored \(others.allSatisfy { isStored($0, root) })")
        say("waiting \(!waiting.isEmpty && waiting.allSatisfy(blobs.isUnsaved))")
        var served = 0
        for digest in late where try await blobs.load(digest) != nil { served += 1 }
        say("served \(served == late.count)")
        let trouble = blobs.status.trouble?.description ?? ""
        let closed = fans.map { "\(root)/v2/blobs/\($0): Permission denied." }
        say("named \(closed.contains(where: trouble.contains))")
        let owner = "(mode 0), and this program runs as \(Account.name(geteuid()))."
        say("owner \(trouble.contains(owner))")
        let report = try await blobs.verify(repair: false) { _ in }
        say("verified \(report.blobs == (early + others).count { !fans.contains(fan($0)) })")
        say("unreadable \(report.unreadable.count == fans.count)")
        let index = try Index(root: root, policy: policy)
        let upkeep = Upkeep(
            blobs: blobs, index: index, userData: try UserData(root: root, policy: policy))
        try await upkeep.count()
        say("counted \(upkeep.status.isCounted)")
        say("removed \(try await upkeep.removeAllBlobs().files == report.blobs)")
        for fan in fans { chmod("\(root)/v2/blobs/\(fan)", 0o700) }
        _ = await events.wait { $0.contains(.caughtUp) }
        say("no trouble \(blobs.status.trouble == nil)")
        say("caught up \(waiting.allSatisfy { isStored($0, root) })")
    }

    private static func bytes(_ number: Int) -> [UInt8] { Array("blob \(number)".utf8) }

    private static func fan(_ digest: Digest) -> String { String(digest.hex.prefix(2)) }

    private static func isStored(_ digest: Digest, _ root: String) -> Bool {
        let hex = digest.hex
        return FileManager.default.fileExists(
            atPath: "\(root)/v2/blobs/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))/\(hex)")
    }
}
