import Testing
@Suite struct Seed { @Test func seeds() { #expect(Bool(true)) } }
