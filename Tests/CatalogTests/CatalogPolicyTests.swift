import Catalog
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(1))) struct CatalogPolicyTests {
    let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test func `a page is fresh until it expires and not at that moment`() {
        let policy = CatalogPolicy()
        #expect(policy.isFresh(expiresAt: now + 1, now: now))
        #expect(!policy.isFresh(expiresAt: now, now: now))
        #expect(!policy.isFresh(expiresAt: now - 1, now: now))
    }

    @Test func `reading a fresh page gives it another 15 minutes`() {
        #expect(
            CatalogPolicy().renewed(fetchedAt: now - 899, expiresAt: now + 1, now: now) == now + 900
        )
    }

    @Test func `reading an expired page renews nothing`() {
        #expect(CatalogPolicy().renewed(fetchedAt: now - 900, expiresAt: now, now: now) == nil)
    }

    @Test(arguments: [
        (0, 240, 240), (960, 240, 40), (999, 5, 1), (1_000, 240, 0), (5_000, 240, 0),
        (760, 240, 240), (0, 0, 0), (0, 1_500, 1_000),
    ])
    func `the first 1,000 items by index belong on disk`(
        firstIndex: Int, count: Int, expected: Int
    ) {
        let persisted = CatalogPolicy().persistedCount(firstIndex: firstIndex, count: count)
        #expect(persisted == expected)
    }
}
