import Foundation
import Testing

@testable import Store

struct StagingTests {
    let scratch: StoreScratch
    let layout: StoreLayout

    init() throws {
        scratch = try StoreScratch()
        layout = try StoreLayout(opening: scratch.path)
    }

    @Test func `an anonymous file is never seen`() throws {
        let file = try StagingFile(in: layout, .anonymous)
        try file.write([1, 2, 3])
        #expect(try scratch.names("v1/staging").isEmpty)
    }

    @Test func `a named file is gone unless published`() throws {
        try discard()
        #expect(try scratch.names("v1/staging").isEmpty)
    }

    private func discard() throws {
        let file = try StagingFile(in: layout, .named)
        try file.write([1, 2, 3])
        #expect(try scratch.names("v1/staging").count == 1)
    }

    @Test func `sweeps what nobody owns when a store opens`() async throws {
        try scratch.write([1, 2], to: "v1/staging/left")
        let store = try BlobStore(root: scratch.path)
        #expect(store.swept == 1)
        #expect(try scratch.names("v1/staging").isEmpty)
    }

    @Test func `leaves alone what is being written`() throws {
        var file = try StagingFile(in: layout, .named)
        try file.write([1, 2, 3])
        let store = try BlobStore(root: scratch.path)
        #expect(store.swept == 0)
        #expect(try StagingSweep(layout: layout).strays(removing: false).isEmpty)
        let digest = Digest(of: [1, 2, 3])
        #expect(try file.publish(as: layout.blob(digest)))
        #expect(try store.files.load(digest) == [1, 2, 3])
    }

    @Test(arguments: [StagingMethod.anonymous, .named])
    func `a directory in the way isn't published over`(method: StagingMethod) throws {
        let target = layout.blob(Digest(of: [1]))
        try StoreLayout.makeDirectories(target)
        var file = try StagingFile(in: layout, method)
        try file.write([1])
        #expect(try file.publish(as: target) == false)
    }

    @Test func `falls back to named files where anonymous ones aren't known`() throws {
        // sysfs and procfs know no O_TMPFILE; their codes are the ones to recognise.
        var code: Int32 = 0
        do throws(Errno) {
            _ = try FileDescriptor(opening: "/proc", 0o20_000_000 | O_DIRECTORY | O_WRONLY)
        } catch {
            code = error.code
        }
        #expect(StagingFile.isUnsupported(Errno(code)))
        #expect(!StagingFile.isUnsupported(Errno(ENOSPC)))
        #expect(!StagingFile.isUnsupported(Errno(EACCES)))
    }
}
