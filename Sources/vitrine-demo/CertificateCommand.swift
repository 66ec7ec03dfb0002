import ArgumentParser
import Demo
import Foundation

struct CertificateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "Write a certificate for a server on this machine.",
        discussion: """
            For 127.0.0.1 and localhost: certificate.pem, key.pem, and authority.pem, which clients must \
            trust. Made for benchmarks, new every time.
            """)

    @Argument(help: "Directory to write to; made if it is missing.")
    var directory: String

    func run() throws {
        let identity = try DemoIdentity()
        let folder = URL(fileURLWithPath: directory, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let files = [
            ("certificate", identity.certificate), ("key", identity.key),
            ("authority", identity.authority),
        ]
        for (name, text) in files {
            let path = folder.appendingPathComponent("\(name).pem").path
            let isWritten = FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
            guard isWritten else { throw ValidationError("\(path) can't be written.") }
        }
    }
}
