import Foundation
import TestSupport
import Testing

@testable import Store

/// Other things than files in the places of the databases.
@Suite(.timeLimit(.minutes(1))) struct DatabaseKindTests {
    enum Kind: String, CaseIterable {
        case pipe = "is a named pipe, not a file"
        case directory = "is a directory, not a file"
        case loop = "Too many levels of symbolic links"

        func make(at path: String) throws {
            switch self {
            case .pipe: #expect(mkfifo(path, 0o600) == 0)
            case .directory:
                try FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: false)
            case .loop: #expect(symlink(path, path) == 0)
            }
        }
    }

    private let scratch: StoreScratch
    private let layout: StoreLayout

    init() throws {
        scratch = try StoreScratch()
        layout = try StoreLayout(opening: scratch.path)
    }

    private func open(_ name: String, _ policy: StorePolicy) throws(StoreError) -> StoreStatus {
        name.hasPrefix("pictures")
            ? try Index(root: scratch.path, policy: policy).status
            : try UserData(root: scratch.path, policy: policy).status
    }

    private static let names = [
        "pictures.sqlite", "keepsakes.sqlite", "pictures.sqlite-wal", "keepsakes.sqlite-shm",
    ]

    @Test(arguments: names, Kind.allCases)
    func `a command names what stands in the place of a database`(name: String, kind: Kind) throws {
        try kind.make(at: "\(layout.index)/\(name)")
        let error = #expect(throws: StoreError.self) { _ = try open(name, StorePolicy()) }
        let found = try #require(error)
        #expect(found.isOfOneFile && !found.isOfAllBlobs)
        #expect("\(found)".hasPrefix("Couldn't open \(layout.index)/\(name): "))
        #expect("\(found)".contains(kind.rawValue))
        #expect("\(found)".hasSuffix("It belongs to \(Account.name(geteuid())). Remove it."))
    }

    @Test(arguments: names, Kind.allCases)
    func `a service starts without such a database, and names it`(name: String, kind: Kind) throws {
        try kind.make(at: "\(layout.index)/\(name)")
        let told = Watched<[StoreEvent]>([])
        let policy = StorePolicy(unsavedBytes: 1 << 20) { event in
            told.change { $0.append(event) }
        }
        let status = try open(name, policy)
        #expect(status.trouble.map { "\($0)".contains(kind.rawValue) } == true)
        guard case .behind(let error)? = told.value.first else {
            Issue.record("\(told.value)")
            return
        }
        #expect("\(error)".contains("v2/index/\(name)"))
    }

    @Test
    func `a pipe in the place of an earlier layout's favorites is named, and not waited for`()
        throws
    {
        let earlier = layout.root + "/v1/index/keepsakes.sqlite"
        try FileManager.default.createDirectory(
            atPath: StoreLayout.parent(of: earlier), withIntermediateDirectories: true)
        try Kind.pipe.make(at: earlier)
        let error = #expect(throws: StoreError.self) {
            _ = try open("keepsakes.sqlite", StorePolicy())
        }
        #expect("\(try #require(error))".contains("v1/index/keepsakes.sqlite: it is a named pipe"))
    }
}
