import Foundation
import TestSupport
import Testing

@testable import App

@Suite(.timeLimit(.minutes(1))) struct LocalFileTests {
    @Test(arguments: [0, 1, 10])
    func `a file is read up to its limit`(size: Int) async throws {
        try await withScratchDirectory { root in
            let text = String(repeating: "x", count: size)
            try writeFile("\(root)/f", text)
            #expect(try LocalFile.read("\(root)/f", limit: 10) == Array(text.utf8))
            #expect(try LocalFile.head("\(root)/f", count: 4) == Array(text.utf8.prefix(4)))
        }
    }

    @Test func `a file over its limit is refused`() async throws {
        try await withScratchDirectory { root in
            try writeFile("\(root)/f", String(repeating: "x", count: 2_049))
            #expect(
                throws: LocalFileError("\(root)/f", tooLargeFor: "imaging.maxBytes (2KiB)")
            ) {
                try LocalFile.read("\(root)/f", limit: 2_048, setting: "imaging.maxBytes")
            }
            #expect(throws: LocalFileError("\(root)/f", tooLargeFor: "2KiB")) {
                try LocalFile.read("\(root)/f", limit: 2_048)
            }
        }
    }

    @Test func `a file that can't be read is an error with its cause`() async throws {
        try await withScratchDirectory { root in
            #expect(
                throws: LocalFileError("\(root)/no", "read", code: ENOENT)
            ) {
                try LocalFile.read("\(root)/no", limit: 10)
            }
            #expect(
                throws: LocalFileError(root, "read", code: EISDIR)
            ) {
                try LocalFile.read(root, limit: 10)
            }
        }
    }

    @Test func `a file error names the action, the path and the cause`() {
        let error = LocalFileError("/a/b", "read", code: ENOENT)
        #expect("\(error)" == "Can't read /a/b: No such file or directory.")
        #expect(error.reason == "No such file or directory.")
    }

    @Test func `replacing a file leaves no temporary file`() async throws {
        try await withScratchDirectory { root in
            for text in ["one", "two"] {
                try LocalFile.replace("\(root)/f", with: Array(text.utf8))
                #expect(try LocalFile.read("\(root)/f", limit: 10) == Array(text.utf8))
            }
            #expect(try LocalFile.names(in: root) == ["f"])
            #expect(throws: LocalFileError.self) {
                try LocalFile.replace("\(root)/no/f", with: [1])
            }
        }
    }

    @Test func `missing parent directories are created`() async throws {
        try await withScratchDirectory { root in
            try LocalFile.makeDirectory("\(root)/a/b/")
            try LocalFile.makeDirectory("\(root)/a/b")
            #expect(LocalFile.isDirectory("\(root)/a/b"))
            try writeFile("\(root)/f", "")
            #expect(
                throws: LocalFileError("\(root)/f", "make the directory", code: ENOTDIR)
            ) {
                try LocalFile.makeDirectory("\(root)/f")
            }
        }
    }
}
