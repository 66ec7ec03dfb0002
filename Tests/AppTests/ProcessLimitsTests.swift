import Fetch
import Glibc
import Imaging
import Memory
import Serve
import TestSupport
import Testing

@testable import App

/// Limits of the process that are too low for the service.
@Suite(.timeLimit(.minutes(1))) struct ProcessLimitsTests {
    private func settings(budget mebibytes: Int) throws -> Settings {
        var settings = Settings()
        settings.memory.budget = mebibytes << 20
        try settings.divideMemory(0)
        return settings
    }

    @Test(arguments: [
        (RLIMIT_DATA, "RLIMIT_DATA"), (RLIMIT_AS, "RLIMIT_AS"), (RLIMIT_FSIZE, "RLIMIT_FSIZE"),
    ])
    func `a limit below what the service needs is named with its remedy`(
        resource: __rlimit_resource, name: String
    ) throws {
        let settings = try settings(budget: 1_024)
        let error = try #require(throws: ConfigurationError.self) {
            try settings.checkProcessLimits(processors: 2) {
                $0.rawValue == resource.rawValue ? 100 << 20 : nil
            }
        }
        #expect(error.description.hasPrefix("\(name) is 102400KiB, and this process needs "))
        #expect(error.description.contains("ulimit"))
    }

    @Test func `limits that are high enough, or none, are fine`() throws {
        let settings = try settings(budget: 1_024)
        try settings.checkProcessLimits(processors: 2) { _ in nil }
        try settings.checkProcessLimits(processors: 2) {
            $0.rawValue == RLIMIT_STACK.rawValue ? 8 << 20 : 2 << 30
        }
    }

    @Test func `a smaller budget needs less data`() throws {
        let limit = { (resource: __rlimit_resource) in
            resource.rawValue == RLIMIT_DATA.rawValue ? 640 << 20 : nil
        }
        #expect(throws: ConfigurationError.self) {
            try settings(budget: 2_048).checkProcessLimits(processors: 2, limit: limit)
        }
        try settings(budget: 512).checkProcessLimits(processors: 2, limit: limit)
    }

    @Test func `settings that need more open files than allowed are refused with the limit`() throws
    {
        var settings = try settings(budget: 1_024)
        let shares = try settings.divideOpenFiles(limit: 1_024, processors: 2)
        #expect(shares.connections > 100 && shares.responses > 50)
        settings.fetch.maxTransfers = 1_000
        let error = try #require(throws: ConfigurationError.self) {
            try settings.divideOpenFiles(limit: 1_024, processors: 2)
        }
        #expect(
            error.description.contains("1024 files") && error.description.contains("LimitNOFILE"))
    }

    @Test func `a server gets the connections that its limit of open files leaves`() throws {
        var settings = try settings(budget: 1_024)
        settings.server.maxConnections = 50
        #expect(try settings.divideOpenFiles(limit: 1_024, processors: 2).connections == 50)
        let more = try settings.divideOpenFiles(limit: 100_000, processors: 64)
        #expect(more.connections == 50 && more.responses > 90_000)
    }

    @Test func `a server with TLS has as many connections as its memory has room for`() throws {
        var settings = try settings(budget: 512)
        (settings.tlsCertificate, settings.tlsKey) = ("server.pem", "server.key")
        func connections() throws -> Int {
            try settings.divideMemory(0)
            return try settings.divideOpenFiles(limit: 100_000, processors: 2).connections
        }
        #expect(try connections() == (32 << 20) / MemoryShares.encryptedConnection)
        settings.server.maxConnections = 50
        #expect(try connections() == 50)
    }

    @Test func `a pipe or a directory is not read as a setting's file`() async throws {
        try await withScratchDirectory { root in
            try #require(mkfifo("\(root)/pipe", 0o600) == 0)
            #expect(throws: LocalFileError(irregular: "\(root)/pipe")) {
                try LocalFile.readRegular("\(root)/pipe", limit: 10)
            }
            #expect(throws: LocalFileError(root, "read", code: EISDIR)) {
                try LocalFile.readRegular(root, limit: 10)
            }
            #expect(LocalFile.isIrregular("\(root)/pipe") && !LocalFile.isIrregular("\(root)/no"))
            try writeFile("\(root)/f", "text")
            #expect(try LocalFile.readRegular("\(root)/f", limit: 10) == Array("text".utf8))
            #expect(try LocalFile.readRegular("/dev/null", limit: 10).isEmpty)
        }
    }
}
