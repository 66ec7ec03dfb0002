import Testing

@testable import Demo

@Suite(.timeLimit(.minutes(1))) struct OpaqueNameTests {
    @Test(arguments: [
        (OpaqueName.Alphabet.hexadecimal, 16), (.hexadecimal, 40), (.base62, 11), (.base62, 27),
    ])
    func `a name leads back to its number`(alphabet: OpaqueName.Alphabet, length: Int) {
        let names = OpaqueName(salt: 5, alphabet: alphabet, length: length)
        for number in [0, 1, 2, 61, 62, 10_000, 4_000_000_000, .max] {
            let name = names.name(number)
            #expect(name.count == length)
            #expect(names.number(name) == number)
        }
    }

    @Test func `names of neighbors differ, and names of equal numbers of other kinds`() {
        let names = OpaqueName(salt: 5, alphabet: .base62, length: 22)
        let other = OpaqueName(salt: 6, alphabet: .base62, length: 22)
        #expect(Set((0..<500).map { names.name($0).prefix(4) }).count > 490)
        #expect(names.name(7) != other.name(7))
        #expect(other.number(names.name(7)) == nil)
    }

    @Test(arguments: [
        "", "0", "zzzzzzzzzzzzzzzzzzzzzz", "ZZZZZZZZZZZZZZZZZZZZZZ", "-000000000000000000000",
    ])
    func `a text that is not a name has no number`(text: String) {
        #expect(OpaqueName(salt: 5, alphabet: .base62, length: 22).number(text) == nil)
    }

    @Test func `a name with a changed letter is not the same name`() {
        let names = OpaqueName(salt: 5, alphabet: .base62, length: 22)
        let name = names.name(42)
        #expect(names.number(String(name.dropLast()) + (name.last == "a" ? "b" : "a")) == nil)
    }
}
