import ArgumentParser

/// The options of `vitrine bench serve`.
struct ServeBenchOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Requests a second of the rows with a given rate, separated by commas.",
            valueName: "rates"))
    var rates = "1000,10000"

    @Option(
        help: ArgumentHelp(
            "Measure only this URL, of a service that already runs on this machine. Name the subject serve, "
                + "too; without it, everything else is measured as well.",
            valueName: "url"))
    var url: String?

    func validate() throws {
        _ = try rateValues()
        _ = try target()
    }

    func rateValues() throws -> [Double] {
        let values = rates.split(separator: ",").map { Double($0) }
        guard !values.isEmpty, values.allSatisfy({ ($0 ?? 0) >= 1 && ($0 ?? 0) <= 1_000_000 })
        else {
            throw ValidationError(
                "--rates is \(rates); expected numbers from 1 to 1000000, such as 1000,10000.")
        }
        return values.compactMap(\.self)
    }

    /// Returns the service that already runs; nil if none is named.
    func target() throws -> ServeTarget? { try url.map(ServeTarget.init) }
}

/// A path of a server on this machine.
struct ServeTarget: Sendable, Equatable {
    var port: Int
    var path: String
    /// As it was given, without the path.
    var host: String

    /// Reads `http://127.0.0.1:8080/t/m/tvmaze/show/1`.
    init(_ url: String) throws {
        let prefix = "http://"
        let rest = url.hasPrefix(prefix) ? url.dropFirst(prefix.count) : ""
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<slash].split(separator: ":", maxSplits: 1)
        guard let name = authority.first, ["127.0.0.1", "localhost"].contains(name),
            let port = authority.count == 2 ? Int(authority[1]) : 80,
            (1...65_535).contains(port)
        else {
            throw ValidationError(
                "--url is \(url); load is only made for this machine, such as "
                    + "http://127.0.0.1:8080/t/m/tvmaze/show/1.")
        }
        self.port = port
        host = String(rest[..<slash])
        path = slash == rest.endIndex ? "/" : String(rest[slash...])
    }
}
