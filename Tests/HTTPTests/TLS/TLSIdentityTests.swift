import Foundation
import Glibc
import TestSupport
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1))) struct TLSIdentityTests {
    @Test func `later connections get a reloaded certificate, earlier ones stay`() async throws {
        try await EncryptedServer.blocking { site in
            let early = try site.connect()
            #expect(early.certificate == "localhost")
            try site.reload("other")
            #expect(try site.connect().certificate == "other")
            #expect(try early.ask("/t/a") == 200)
        }
    }

    struct Damage: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var make: @Sendable (EncryptedServer.Files) throws -> Void
        var message: @Sendable (EncryptedServer.Files) -> String
    }

    static let damages = [
        Damage(testDescription: "no certificate") { files in
            try files.directory.write("".utf8, to: "server.pem")
        } message: {
            "\($0.certificate) can't be read as a certificate; it has to be a PEM file."
        },
        Damage(testDescription: "another text") { files in
            try files.directory.write("text".utf8, to: "server.pem")
        } message: {
            "\($0.certificate) holds no certificate."
        },
        Damage(testDescription: "a broken certificate") { files in
            let text = try String(contentsOfFile: files.certificate, encoding: .utf8)
            try files.directory.write(
                text.replacingOccurrences(of: "MII", with: "AII").utf8, to: "server.pem")
        } message: {
            "\($0.certificate) can't be read as a certificate; it has to be a PEM file."
        },
        Damage(testDescription: "no key") { files in
            try FileManager.default.removeItem(atPath: files.key)
        } message: {
            "\($0.key) can't be read as a private key; it has to be a PEM file."
        },
        Damage(testDescription: "the certificate in place of the key") { files in
            try files.directory.write(
                Data(contentsOf: URL(filePath: files.certificate)), to: "server.key")
        } message: {
            "\($0.key) can't be read as a private key; it has to be a PEM file."
        },
        Damage(testDescription: "another key") { files in
            try files.directory.write(
                files.authority.issue(names: ["other"]).key.utf8, to: "server.key")
        } message: {
            "\($0.key) is not the key of \($0.certificate)."
        },
        Damage(testDescription: "a pipe") { files in
            try FileManager.default.removeItem(atPath: files.key)
            mkfifo(files.key, 0o600)
        } message: {
            "\($0.key) is not a regular file; it has to be a PEM file."
        },
    ]

    @Test(arguments: damages)
    func `files that don't fit are refused, and the old ones stay in force`(
        damage: Damage
    ) throws {
        let files = try EncryptedServer.Files()
        let identity = try files.identity()
        let version = identity.version
        try damage.make(files)
        let failure = #expect(throws: TLSIdentity.Failure.self) { try identity.reload() }
        #expect(failure?.description == damage.message(files))
        #expect(identity.version == version)
        #expect(throws: Never.self) { _ = try identity.context() }
        #expect(throws: TLSIdentity.Failure.self) { try files.identity() }
    }

    @Test func `neither a core dump nor a child has keys`() throws {
        let secret = try #require(SecretBytes(count: 64))
        let place = UInt(bitPattern: secret.bytes.baseAddress)
        // Foundation reads no more of it than a page.
        let maps = try #require(fopen("/proc/self/smaps", "r"))
        defer { fclose(maps) }
        var line = [CChar](repeating: 0, count: 4_096)
        var flags: String?
        var isHere = false
        while flags == nil, fgets(&line, CInt(line.count), maps) != nil {
            let text = line.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
            let words = (text ?? "").split(separator: " ")
            let ends = words.first?.split(separator: "-").map { UInt($0, radix: 16) } ?? []
            if ends.count == 2, let start = ends[0], let end = ends[1] {
                isHere = start <= place && place < end
            }
            if isHere, words.first == "VmFlags:" { flags = text }
        }
        let words = try #require(flags).split(separator: " ")
        #expect(words.contains("dd") && words.contains("dc"), "\(words)")
    }
}
