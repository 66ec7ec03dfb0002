import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct DecoderMessageTests {
    @Test(arguments: [
        ("VipsJpeg: premature end\nVipsJpeg: premature end\n", "premature end"),
        ("bad name 'a\u{FFFD}b\u{7}c\u{202E}d'.", "bad name 'abcd'"),
    ])
    func `says once, in what people can read, what decoders say`(said: String, words: String) {
        #expect(DecoderMessage.oneLine(said) == words)
    }
}
