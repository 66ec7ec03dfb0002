import Foundation
import Testing

@testable import Store

@Suite struct BlobQuarantineTests {
    private let scratch: StoreScratch
    private let store: BlobStore
    private let path: String

    init() throws {
        scratch = try StoreScratch()
        store = try BlobStore(root: scratch.path)
        path = "\(scratch.path)/damaged"
        try scratch.write([1, 2, 3], to: "damaged")
    }

    @Test func `only quarantined files are counted`() throws {
        let quarantine = store.files.quarantine
        try quarantine.take("\(scratch.path)/gone")
        #expect(store.healed == 0)
        var status = stat()
        #expect(lstat(path, &status) == 0)
        // Another process replaced the file meanwhile.
        try quarantine.take(path, inode: status.st_ino + 1)
        #expect(store.healed == 0)
        #expect(FileManager.default.fileExists(atPath: path))
        try quarantine.take(path, inode: status.st_ino)
        #expect(store.healed == 1)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try quarantine.count() == 1)
    }
}
