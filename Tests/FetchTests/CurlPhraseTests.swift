import Testing

@testable import Fetch

@Suite(.timeLimit(.minutes(1))) struct CurlPhraseTests {
    @Test(arguments: [
        (
            "SSL certificate problem: unable to get local issuer certificate",
            "SSL certificate problem: unable to get local issuer certificate"
        ),
        ("Failed to connect", "failed to connect"), ("URL rejected", "URL rejected"), ("A", "a"),
        (
            "Failed to connect to 10.0.0.1 port 81 after 17 ms: Couldn't connect to server",
            "failed to connect to 10.0.0.1 port 81: Couldn't connect to server"
        ),
        ("", ""),
    ])
    func `a sentence of libcurl ends one of ours: abbreviations keep their capitals, times go`(
        text: String, phrase: String
    ) {
        #expect(CurlLibrary.phrase(text) == phrase)
    }
}
