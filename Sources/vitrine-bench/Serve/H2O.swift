import Glibc

/// h2o, beside which hits are measured: it serves the same bytes from files, and does well over HTTP/2.
struct H2O: FileServer {
    static let peer = Peer("h2o", marker: "h2o version ")

    let program: String
    let files: String
    let identity: String
    let context: BenchContext
    let processors: Processors?

    func start(isSecure: Bool) async throws -> ServerProcess {
        let work = context.place("h2o")
        return try await ServerProcess.start(Self.peer.name, scratch: context.scratch) { port in
            try await context.write(rules(port, isSecure: isSecure).utf8, to: "\(work)/rules")
            var order = MeasuredProgram.Order(program, ["-m", "worker", "-c", "\(work)/rules"])
            order.processors = processors
            return order
        }
    }

    /// One thread, no logs, and the fields that this program sends, too.
    func rules(_ port: Int, isSecure: Bool) -> String {
        let secure = """

              ssl:
                certificate-file: \(identity)/certificate.pem
                key-file: \(identity)/key.pem
                minimum-version: TLSv1.2
                ocsp-update-interval: 0
            """
        return """
            num-threads: 1
            max-connections: 4096
            \(geteuid() == 0 ? "user: root" : "")
            listen:
              host: 127.0.0.1
              port: \(port)\(isSecure ? secure : "")
            file.mime.settypes:
              image/jpeg: .jpg
              image/webp: .webp
            hosts:
              default:
                paths:
                  "/":
            \(rules("", age: 604_800))
                  "\(ServedDocument.plainFiles)":
                    file.mime.setdefaulttype: text/plain
            \(rules(ServedDocument.plainFiles, age: 604_800))
                  "\(ServedDocument.compressedFiles)":
                    file.mime.setdefaulttype: application/json
                    header.add: "Content-Encoding: gzip"
                    header.add: "Vary: Accept-Encoding"
            \(rules(ServedDocument.compressedFiles, age: 900))

            """
    }

    /// Rules of a path, with the seconds for which clients keep its files.
    private func rules(_ path: String, age: Int) -> String {
        let indent = String(repeating: " ", count: 8)
        return [
            "file.dir: \(files)\(path)",
            "header.add: \"Cache-Control: public, max-age=\(age)\"",
            "header.add: \"X-Content-Type-Options: nosniff\"",
            "header.add: \"Access-Control-Allow-Origin: *\"",
        ].map { indent + $0 }.joined(separator: "\n")
    }
}
