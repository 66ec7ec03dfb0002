/// Other programs that fetch many files at once.
enum FetchPeer: String, CaseIterable, Sendable {
    case curl, aria2c

    /// Returns those that are wanted and installed, with paths and versions.
    static func installed(
        _ context: BenchContext, _ plan: inout BenchPlan
    ) async throws -> [(FetchPeer, String, String)] {
        var found: [(FetchPeer, String, String)] = []
        for peer in allCases where context.wantsPeer(peer.rawValue) {
            guard let program = MeasuredProgram.find(peer.rawValue) else {
                plan.notes.append("\(peer.rawValue) is not installed.")
                continue
            }
            let file = "\(context.scratch)/\(peer.rawValue)-version"
            var order = MeasuredProgram.Order(program, ["--version"])
            order.output = .file(file)
            _ = try await MeasuredProgram.run(order)
            let number = ProcFile.text(file).flatMap(ServePeer.version) ?? ""
            let version = "\(peer.rawValue) \(number)"
            plan.libraries.append(BenchSetting(peer.rawValue, number))
            found.append((peer, program, version))
        }
        return found
    }

    /// aria2c can't connect to another address than the name's, so it has no TLS here, and it has no
    /// HTTP/2.
    func supports(_ transport: String) -> Bool { self == .curl || transport == "plain" }

    /// The file that names what to fetch. File number n of the work is written to `directory/n`.
    func list(_ work: FetchWork, into directory: String) -> String {
        switch self {
        case .curl:
            return (0..<work.count).map {
                "url = \"\(work.url($0))\"\noutput = \"\(directory)/\($0)\"\n"
            }.joined()
        case .aria2c:
            let address = work.origin.connectTo.split(separator: ":").suffix(2)
                .joined(separator: ":")
            return (0..<work.count).map {
                "http://\(address)\(work.path($0))\n  dir=\(directory)\n  out=\($0)\n"
            }.joined()
        }
    }

    func arguments(_ work: FetchWork, list: String) -> [String] {
        switch self {
        case .curl:
            [
                "--disable", "--no-progress-meter", "--fail", "--parallel",
                "--parallel-immediate", "--parallel-max", "\(work.concurrency)", "--noproxy", "*",
                "--connect-to", work.origin.connectTo, "--cacert",
                work.origin.authority, work.transport == "http2" ? "--http2" : "--http1.1",
                "--config", list,
            ]
        case .aria2c:
            [
                "--no-conf", "--quiet", "--input-file", list, "--max-concurrent-downloads",
                "\(work.concurrency)", "--max-connection-per-server", "1", "--split", "1",
                "--header", "Host: \(BenchOrigin.pictureHost)", "--file-allocation", "none",
                "--allow-overwrite", "true", "--auto-file-renaming", "false",
                "--download-result", "hide", "--no-proxy", "127.0.0.1",
            ]
        }
    }
}
