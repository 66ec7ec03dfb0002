import Testing

@testable import Console
@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct ConfigCommandTests {
    @Test func `a variable similar to a setting's is reported, other variables are not`() {
        let notes = ConfigCommand.notes(on: [
            "VITRINE_FETCH_USERAGENT": "x", "VITRINE_SERVICE_PORT_HTTP": "80", "PATH": "/bin",
            "VITRINE_SERVER_PORT": "80",
        ])
        #expect(
            notes == [
                "note: VITRINE_FETCH_USERAGENT is not a setting; did you mean "
                    + "VITRINE_FETCH_USER_AGENT?"
            ])
    }
}
