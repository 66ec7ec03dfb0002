import Testing

@testable import App

@Suite(.timeLimit(.minutes(1)))
struct SettingSentenceTests {
    private func complaint(_ variable: String, _ value: String) -> String? {
        do throws(ConfigurationError) {
            _ = try SettingsLayers(environment: [variable: value]).load()
            return nil
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        ("VITRINE_FETCH_PROXY", "ftp://me:geheim@proxy", "ftp://***@proxy"),
        ("VITRINE_QUEUE", "nat://me:geheim@queue", "nat://***@queue"),
        ("VITRINE_S3_ENDPOINT", "https://me:geheim@store", "https://***@store"),
        ("VITRINE_SERVER_PUBLIC_URL", "https://me:geheim@host?x", "https://***@host?x"),
    ])
    func `the password in an invalid URL is not printed`(
        variable: String, value: String, shown: String
    ) {
        let sentence = complaint(variable, value)
        #expect(sentence?.hasPrefix("\(variable) is “\(shown)”; expected") == true)
    }

    @Test(arguments: [
        (
            "VITRINE_FETCH_USER_AGENT", "Büro/1.0",
            "is “Büro/1.0”; expected text in ASCII without line breaks, as a header field carries it, or auto."
        ),
        (
            "VITRINE_SERVER_HOSTS", "bücher.example",
            "is “bücher.example”; expected a host name in ASCII such as pictures.example.org."
        ),
        (
            "VITRINE_SERVER_PUBLIC_URL", "https://bücher.example",
            "is “https://bücher.example”; expected a URL in ASCII of a host without a path, such as "
                + "https://pictures.example.org, or \"\" for none."
        ),
    ])
    func `letters beyond ASCII are refused with that reason`(
        variable: String, value: String, sentence: String
    ) {
        #expect(complaint(variable, value) == "\(variable) \(sentence)")
    }

    @Test(arguments: [
        ("https://pictures.example.org", true), ("http://pictures.example.org/", true),
        ("http://127.0.0.1:8080", true), ("https://[2001:db8::1]:8443/", true),
        ("http://localhost", true), ("https://cdn.example/media", false),
        ("https://cdn.example/media/", false), ("https://cdn.example//", false),
        ("https://cdn.example/?a", false), ("https://cdn.example#a", false),
        ("https://me:geheim@cdn.example", false), ("https://", false), ("https:///", false),
        ("https://:80", false), ("ftp://cdn.example", false), ("cdn.example", false),
        ("https://cdn .example", false), ("https://cdn.example\\a", false),
    ])
    func `the public URL is a scheme and a host, because every path is passed on as it is`(
        url: String, isTaken: Bool
    ) {
        #expect((complaint("VITRINE_SERVER_PUBLIC_URL", url) == nil) == isTaken)
    }

    @Test(arguments: [
        ("VITRINE_LEVELS", "m: 320x480", ", such as m=320x480;"),
        ("VITRINE_IMAGING_PER_LEVEL", "xs.webpQuality: 75", ", such as xs.webpQuality=75."),
    ])
    func `the example for a variable is one that a variable may have`(
        variable: String, value: String, example: String
    ) {
        #expect(complaint(variable, value)?.contains(example) == true)
    }

    @Test(arguments: [
        ("levels: {M: 1x1}", ", such as m: 320x480;"), ("levels: m", ", such as m: 320x480."),
        ("imaging: {perLevel: {webpQuality: 1}}", ", such as xs.webpQuality: 75."),
    ])
    func `the example for the file is one that the file may have`(text: String, example: String) {
        do throws(ConfigurationError) {
            let file = try ConfigurationFile(path: "v.yaml", text: text)
            _ = try SettingsLayers(file: file).load()
            Issue.record("no complaint")
        } catch {
            #expect(error.description.contains(example), "\(error)")
        }
    }
}
