import FoundationEssentials
import GRDB
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1))) struct KeepsakesTests {
    private let directory: TemporaryDirectory
    private let userData: UserData

    init() throws {
        directory = try TemporaryDirectory()
        userData = try UserData(root: directory.path)
    }

    private func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

    private func search(_ term: String, at seconds: Double) -> SearchRecord {
        SearchRecord(source: "tvmaze", list: "search", term: term, madeAt: date(seconds))
    }

    @Test func `favorites are kept once, newest first, across reopening`() async throws {
        #expect(try await userData.addFavorite("a/b/1", at: date(1)) == .added)
        #expect(try await userData.addFavorite("a/b/2", at: date(2)) == .added)
        #expect(try await userData.addFavorite("a/b/1", at: date(3)) == .known)
        try userData.close()
        let again = try UserData(root: directory.path)
        #expect(try await again.favorites().map(\.item) == ["a/b/2", "a/b/1"])
        #expect(try await again.favorites(among: ["a/b/1", "a/b/9"]) == ["a/b/1"])
        #expect(try await again.removeFavorite("a/b/1"))
        #expect(try await !again.removeFavorite("a/b/1"))
        #expect(try await again.favorites().map(\.item) == ["a/b/2"])
    }

    @Test func `favorites keep the order they are given, across reopening`() async throws {
        for number in 1...4 {
            _ = try await userData.addFavorite("a/b/\(number)", at: date(Double(number)))
        }
        // Newest first: 4, 3, 2, 1. An item that is not a favorite, or named twice, changes nothing.
        try await userData.orderFavorites(["a/b/2", "a/b/9", "a/b/4", "a/b/2"])
        try userData.close()
        let again = try UserData(root: directory.path)
        #expect(
            try await again.favorites().map(\.item) == ["a/b/2", "a/b/4", "a/b/3", "a/b/1"])
        _ = try await again.addFavorite("a/b/5", at: date(0))
        #expect(try await again.favorites().map(\.item).first == "a/b/5")
    }

    @Test func `a search that was being typed is remembered once`() async throws {
        for (term, time) in [("ligh", 1.0), ("light", 2), ("lighthouse", 3), ("lighthou", 4)] {
            try await userData.record(search(term, at: time))
        }
        try await userData.record(search("lighter", at: 20))
        #expect(try await userData.searches().map(\.term) == ["lighter", "lighthou"])
        let other = SearchRecord(
            source: "tmdb", list: "search", term: "light", madeAt: date(21))
        try await userData.record(other)
        #expect(try await userData.searches().map(\.term) == ["light", "lighter", "lighthou"])
        // Much later, a shorter term is a search of its own.
        try await userData.record(search("light", at: 60))
        #expect(try await userData.searches().count == 4)
    }

    @Test func `favorites among many items are found, and their number is limited`()
        async throws
    {
        for number in 0..<3 {
            _ = try await userData.addFavorite("a/b/\(number)", limit: 3, at: date(1))
        }
        #expect(try await userData.addFavorite("a/b/3", limit: 3, at: date(1)) == .full)
        #expect(try await userData.addFavorite("a/b/2", limit: 3, at: date(1)) == .known)
        let many = (1..<2_000).map { "a/b/\($0)" }
        #expect(try await userData.favorites(among: many) == ["a/b/1", "a/b/2"])
    }

    @Test func `a canceled task gets its result from user data`() async throws {
        let userData = userData
        let moment = date(1)
        let canceled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let isNew = try await userData.addFavorite("a/b/1", at: moment)
            return try await (isNew, userData.favorites().map(\.item))
        }
        let (isNew, items) = try await canceled.value
        #expect(isNew == .added && items == ["a/b/1"])
    }

    @Test func `a search made again moves to the front`() async throws {
        for (term, time) in [("dome", 1.0), ("girls", 2), ("dome", 3)] {
            try await userData.record(search(term, at: time))
        }
        #expect(try await userData.searches() == [search("dome", at: 3), search("girls", at: 2)])
        try await userData.removeSearches()
        #expect(try await userData.searches().isEmpty)
    }

    @Test func `only the newest searches are kept`() async throws {
        for number in 0..<(UserData.searchLimit + 5) {
            try await userData.record(search("term \(number)", at: Double(number)))
        }
        let terms = try await userData.searches().map(\.term)
        #expect(terms.count == UserData.searchLimit)
        #expect(terms.last == "term 5")
    }

    @Test func `searches of an earlier version are kept, and other parameters are other searches`()
        async throws
    {
        try userData.close()
        let file = "\(directory.path)/v2/index/keepsakes.sqlite"
        let database = try DatabaseQueue(path: file)
        try await database.write { database in
            try database.execute(
                sql: """
                    DROP TABLE searches;
                    CREATE TABLE searches (
                        source TEXT NOT NULL, list TEXT NOT NULL, term TEXT NOT NULL,
                        madeAt REAL NOT NULL, UNIQUE (source, list, term)) STRICT;
                    INSERT INTO searches VALUES ('tvmaze', 'search', 'dome', 1);
                    DELETE FROM grdb_migrations WHERE identifier = 'parameters of searches';
                    """)
        }
        try database.close()
        let again = try UserData(root: directory.path)
        #expect(try await again.searches() == [search("dome", at: 1)])
        var other = search("dome", at: 2)
        other.parameters = ["creator": "dome"]
        try await again.record(other)
        #expect(try await again.searches() == [other, search("dome", at: 1)])
    }

    @Test func `the next start continues the copy of damaged user data, once`() async throws {
        for number in 0..<3 { _ = try await userData.addFavorite("a/b/\(number)", at: day(1)) }
        try userData.close()
        // Its process died before it had copied the rows.
        let layout = try StoreLayout(opening: directory.path)
        _ = try #require(try SetAside(layout: layout).take(layout.userData))
        let again = try UserData(root: directory.path)
        #expect(try await again.favorites().count == 3)
        _ = try await again.removeFavorite("a/b/1")
        try again.close()
        let last = try UserData(root: directory.path)
        #expect(try await last.favorites().map(\.item) == ["a/b/2", "a/b/0"])
    }
}
