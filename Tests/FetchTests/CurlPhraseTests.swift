import Testing

@testable import Fetch

@Suite(.timeLimit(.minutes(1))) struct CurlPhraseTests {
    @Test(arguments: [
        (
            "SSL certificate problem: unable to get local issuer certificate",
            "SSL certificate problem: unable to get local issuer certificate"
        ),
        ("Failed to connect", "failed to connect"), ("URL rejected", "URL rejected"), ("A", "a"),
        ("", ""),
    ])
    func `a sentence of libcurl ends one of ours, and abbreviations keep their capitals`(
        text: String, phrase: String
    ) {
        #expect(CurlCode.phrase(text) == phrase)
    }
}
