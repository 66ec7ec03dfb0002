import Foundation
import Hashing
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1)))
struct StagingTests {
    let scratch: StoreScratch
    let layout: StoreLayout

    init() throws {
        scratch = try StoreScratch()
        layout = try StoreLayout(opening: scratch.path)
    }

    @Test func `an anonymous staging file has no name`() throws {
        let file = try StagingFile(in: layout, .anonymous)
        try file.write([1, 2, 3])
        #expect(try scratch.names("v2/staging").isEmpty)
    }

    @Test func `a named staging file is removed unless it is published`() throws {
        try discard()
        #expect(try scratch.names("v2/staging").isEmpty)
    }

    private func discard() throws {
        let file = try StagingFile(in: layout, .named)
        try file.write([1, 2, 3])
        #expect(try scratch.names("v2/staging").count == 1)
    }

    @Test func `opening a store removes staging files of dead processes`() async throws {
        try scratch.write([1, 2], to: "v2/staging/left")
        let store = try BlobStore(root: scratch.path)
        #expect(store.swept == 1)
        #expect(try scratch.names("v2/staging").isEmpty)
    }

    @Test func `the staging file of a running write stays`() throws {
        var file = try StagingFile(in: layout, .named)
        try file.write([1, 2, 3])
        let store = try BlobStore(root: scratch.path)
        #expect(store.swept == 0)
        #expect(try StagingFile.strays(in: layout, removing: false).isEmpty)
        let digest = Digest(of: [1, 2, 3])
        try StoreLayout.makeDirectories(layout.directory(digest))
        #expect(try file.publish(as: layout.blob(digest)) == .published)
        #expect(try store.files.healed(digest, store.files.read(digest)) == [1, 2, 3])
    }

    @Test(arguments: [StagingMethod.anonymous, .named])
    func `a directory with a blob's name is not replaced by publishing`(method: StagingMethod)
        throws
    {
        let target = layout.blob(Digest(of: [1]))
        try StoreLayout.makeDirectories(target)
        var file = try StagingFile(in: layout, method)
        try file.write([1])
        #expect(try file.publish(as: target) == .occupied)
    }

    @Test func `named staging is used if anonymous files can't be published`() throws {
        var layout = layout
        layout.openFiles = scratch.path + "/nowhere"
        let files = BlobFiles(layout: layout, staging: .anonymous)
        for bytes in [[1], [UInt8](repeating: 2, count: 600_000), []] {
            let blob = HashedBytes(bytes)
            #expect(files.put([blob]).error == nil)
            #expect(try files.healed(blob.digest, files.read(blob.digest)) == bytes)
        }
        #expect(try scratch.names("v2/staging").isEmpty)
    }

    @Test func `staging names sort by creation time`() {
        let names = (0..<1000).map { _ in uniqueName() }
        #expect(names.map { $0.prefix { $0 != "-" } }.allSatisfy { $0.count == 19 })
        #expect(Set(names).count == 1000)
    }

    @Test(arguments: [(EOPNOTSUPP, true), (EISDIR, true), (ENOSPC, false), (EACCES, false)])
    func `only certain errors mean missing support for anonymous files`(code: Int32, isLack: Bool) {
        #expect(StagingFile.isUnsupported(Errno(code)) == isLack)
    }
}
