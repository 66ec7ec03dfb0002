import Catalog
import Fetch
import TestSupport
import Testing

@testable import App

@Suite(.timeLimit(.minutes(1))) struct SourceReaderTests {
    /// A source with these lines in place of those of the same keys, indented by two.
    private func yaml(
        source: String = "", kind: String = "", list: String? = nil,
        hosts: String = "[api.example.org, cdn.example.org]",
        chain: String = "[{url: $.image}]"
    ) -> String {
        var text = """
            sources:
              shop:
                hosts: \(hosts)
                \(source)
                kinds:
                  chair:
                    request: https://api.example.org/chairs/{id}
                    chain: \(chain)
                    \(kind)

            """
        if let list { text += "    lists:\n      all: \(list)\n" }
        return text
    }

    @Test(arguments: [
        ("sources: 7\n", "v.yaml:1: sources is “7”; expected keys below it."),
        (
            "sources:\n  Shop: {}\n",
            "v.yaml:2: sources.Shop is not a name of a source; use up to 32 letters a-z, digits and "
                + "hyphens."
        ),
        (
            "sources:\n  tvmaze: {}\n",
            "v.yaml:2: sources.tvmaze has a name that is taken; choose another than “tvmaze”."
        ),
        (
            "sources:\n  shop: {kinds: {}}\n",
            "v.yaml:2: sources.shop has no hosts; name those that requests may go to."
        ),
        (
            "sources:\n  shop: {hosts: [a.example.org]}\n",
            "v.yaml:2: sources.shop has no kinds; describe at least one kind of items."
        ),
        (
            "sources:\n  shop: {hosts: [], kinds: {}}\n",
            "v.yaml:2: sources.shop.hosts is empty; name at least one host."
        ),
        (
            "sources:\n  shop: {hosts: [localhost], kinds: {}}\n",
            "v.yaml:2: sources.shop.hosts[0] is not a host name; expected one such as "
                + "img.example.org or *.example.org."
        ),
        (
            "sources:\n  shop: {hosts: [\"*\"], kinds: {}}\n",
            "v.yaml:2: sources.shop.hosts[0] is not a host name; expected one such as "
                + "img.example.org or *.example.org."
        ),
        (
            "sources:\n  shop: {hosts: {a.example.org: {rate: fast}}, kinds: {}}\n",
            "v.yaml:2: sources.shop.hosts.a.example.org.rate is “fast”; expected a number of "
                + "requests and a time, such as 20/10s."
        ),
        (
            "sources:\n  shop: {hosts: {a.example.org: {concurrency: 0}}, kinds: {}}\n",
            "v.yaml:2: sources.shop.hosts.a.example.org.concurrency is “0”; expected a whole "
                + "number from 1 to 1000."
        ),
        (
            "sources:\n  shop: {hosts: {a.example.org: {headers: {User-Agent: x}}}, kinds: {}}\n",
            "v.yaml:2: sources.shop.hosts.a.example.org.headers.User-Agent can't be set here; set "
                + "fetch.userAgent."
        ),
        (
            "sources:\n  shop: {hosts: {a.example.org: {headers: {X-Api-Key: abc}}}, kinds: {}}\n",
            "v.yaml:2: sources.shop.hosts.a.example.org.headers.X-Api-Key looks like a secret and "
                + "must not stand in this file; write {env: VITRINE_…} or {file: …}."
        ),
        (
            "sources:\n  shop: {hosts: {a.example.org: {headers: {X-A: {env: KEY}}}}, kinds: {}}\n",
            "v.yaml:2: sources.shop.hosts.a.example.org.headers.X-A.env is “KEY”; expected the "
                + "name of a variable, VITRINE_…."
        ),
    ])
    func `a mistake in a source or its hosts is one sentence with its place`(
        text: String, sentence: String
    ) {
        #expect(complaint(text) == sentence)
    }

    @Test(arguments: [
        (
            "titel: x",
            "v.yaml:2: sources.shop has no key “titel”; did you mean “title”?"
        ),
        (
            "website: ftp://x",
            "v.yaml:4: sources.shop.website is “ftp://x”; expected an https URL."
        ),
        (
            "mayCrop: perhaps",
            "v.yaml:4: sources.shop.mayCrop is “perhaps”; expected true or false."
        ),
        ("shape: wide", "v.yaml:4: sources.shop.shape is “wide”; expected a ratio such as 2:3."),
    ])
    func `a mistake in a source's own keys is one sentence`(line: String, sentence: String) {
        let found = complaint(yaml(source: line))
        #expect(found?.dropFirst(8).drop { $0 != " " } == sentence.dropFirst(8).drop { $0 != " " })
    }

    @Test(arguments: [
        (
            "id: integer", "[{url: $.image}]",
            "sources.shop.kinds.chair.id is “integer”; expected number, uuid or text."
        ),
        (
            "title: $.a b", "[{url: $.image}]",
            "sources.shop.kinds.chair.title is “$.a b”: expected “.”, “[” or the end, not “ ” "
                + "(column 4)."
        ),
        (
            "title: \"{name}\"", "[{url: $.image}]",
            "sources.shop.kinds.chair.title is “{name}”: “{name}” is not known here; known are "
                + "{id} and paths such as {$.name} (column 1)."
        ),
        (
            "absent: [99]", "[{url: $.image}]",
            "sources.shop.kinds.chair.absent[0] is “99”; expected a whole number from 200 to 599."
        ),
        ("", "[]", "sources.shop.kinds.chair.chain is empty; name a place of the picture."),
        (
            "", "[{label: x}]",
            "sources.shop.kinds.chair.chain[0] names no picture; give a url or an item."
        ),
        (
            "", "[{url: picture.jpg}]",
            "sources.shop.kinds.chair.chain[0].url is “picture.jpg”; expected an https URL or a "
                + "path such as $.image."
        ),
        (
            "", "[{url: \"https://evil.example/{id}.jpg\"}]",
            "sources.shop.kinds.chair.chain[0].url is “https://evil.example/{id}.jpg”: the host "
                + "“evil.example” is not among the source's hosts (column 9)."
        ),
        // A URL has no password in a sentence.
        (
            "", "[{url: \"https://me:geheim@evil.example/{id}.jpg\"}]",
            "sources.shop.kinds.chair.chain[0].url is “https://***@evil.example/{id}.jpg”: the host "
                + "“***@evil.example” is not among the source's hosts (column 9)."
        ),
        (
            "", "[{url: \"ftp://me:geheim@evil.example/1.jpg\"}]",
            "sources.shop.kinds.chair.chain[0].url is “ftp://***@evil.example/1.jpg”; expected an "
                + "https URL or a path such as $.image."
        ),
        (
            "", "[{url: $.a}, {url: $.b, width: wide}]",
            "sources.shop.kinds.chair.chain[1].width is “wide”; expected a whole number from 1 to "
                + "1000000."
        ),
        (
            "", "[{item: \"table/{id}\"}]",
            "sources.shop.kinds.chair.chain[0].item is “table/{id}”; expected a kind of this "
                + "source and an id, such as chair/{id}."
        ),
        (
            "", "[{url: $.a, ranks: 1}]",
            "sources.shop.kinds.chair.chain[0] has no key “ranks”; did you mean “rank”?"
        ),
    ])
    func `a mistake in a kind is one sentence with its place`(
        line: String, chain: String, sentence: String
    ) {
        let found = complaint(yaml(kind: line, chain: chain))
        #expect(found?.drop { $0 != " " }.dropFirst() == sentence[...], "\(found ?? "none")")
    }

    @Test func `paths need a request`() {
        let text = """
            sources:
              shop:
                hosts: [cdn.example.org]
                kinds:
                  chair:
                    title: $.name
                    chain: [{url: "https://cdn.example.org/{id}.jpg"}]
            """
        #expect(
            complaint(text)
                == "v.yaml:6: sources.shop.kinds.chair.title reads an answer, but there is no "
                + "request; add one.")
    }

    @Test(arguments: [
        (
            "{items: $, id: $.id}",
            "sources.shop.lists.all has no request; give the URL of its JSON document."
        ),
        (
            "{request: \"https://api.example.org/all\", id: $.id}",
            "sources.shop.lists.all has no items; give the path of its elements, such as "
                + "$.results[*]."
        ),
        (
            "{request: \"https://api.example.org/all\", items: $}",
            "sources.shop.lists.all has no id; give its path in an element, such as $.id."
        ),
        (
            "{request: \"https://api.example.org/all\", items: $, id: $.id, kind: table}",
            "sources.shop.lists.all.kind is “table”; expected chair."
        ),
        (
            "{request: \"https://api.example.org/{page}\", items: $, id: $.id}",
            "sources.shop.lists.all.request is “https://api.example.org/{page}”: “{page}” is not "
                + "known here; known are {q} and paths such as {$.name} (column 25)."
        ),
        (
            "{request: \"https://api.example.org/all\", items: $, id: $.id, paging: {by: page}}",
            "sources.shop.lists.all.request doesn't use {page}; without it, every page is the same."
        ),
        (
            "{request: \"https://api.example.org/all\", items: $, id: $.id, paging: {by: pages}}",
            "sources.shop.lists.all.paging.by is “pages”; expected page, offset, cursor or link."
        ),
        (
            "{request: \"https://api.example.org/all\", items: $, id: $.id, paging: {by: link}}",
            "sources.shop.lists.all.paging has no next; give its path in the answer, such as $.next."
        ),
        (
            "{request: \"https://api.example.org/{offset}\", items: $, id: $.id, paging: "
                + "{by: offset, first: 1}}",
            "sources.shop.lists.all.paging.first means nothing for paging by offset; leave "
                + "“first” out."
        ),
        (
            "{request: \"https://api.example.org/all\", items: $, id: $.id, parameters: {page: 1}}",
            "sources.shop.lists.all.parameters.page is not a name of a parameter; use letters a-z, "
                + "digits and hyphens, and none of q, page, offset, cursor, limit and lang."
        ),
        (
            "{request: \"https://api.example.org/all\", items: $, id: $.id, idInside: /works/}",
            "sources.shop.lists.all.idInside is “/works/”; expected a text around {id}, such as "
                + "/works/{id}."
        ),
    ])
    func `a mistake in a list is one sentence with its place`(list: String, sentence: String) {
        let found = complaint(yaml(list: list))
        #expect(found?.drop { $0 != " " }.dropFirst() == sentence[...], "\(found ?? "none")")
    }

    @Test func `a list must not have the name of a kind`() {
        let text = yaml(list: "{}").replacing("      all:", with: "      chair:")
        #expect(
            complaint(text)
                == "v.yaml:11: sources.shop.lists.chair is not a name of a list; use up to 32 "
                + "letters a-z, digits and hyphens, and none that a kind has.")
    }

    // MARK: - Texts

    @Test func `entities of HTML in titles are decoded, once`() async throws {
        let source = try ConfiguredSource(
            yaml: """
                sources:
                  shop:
                    hosts: [api.example.org]
                    kinds:
                      chair:
                        request: https://api.example.org/chairs/{id}
                        title: $.name
                        subtitle: $.maker
                        summary: $.text
                        chain: [{url: $.image}]
                """)
        let api = AnsweringAPI([
            "https://api.example.org/chairs/1":
                #"{"name":"Tom &amp; Jerry &amp;lt;3","maker":"K&ouml;nig &#38; S&#xF6;hne","#
                + #""text":"<b>a</b> &amp;amp; b"}"#
        ])
        let entry = try await source.details(of: source.item(kind: "chair", id: "1"), api: api)
            .entry
        #expect(entry.title == "Tom & Jerry &lt;3")
        #expect(entry.subtitle == "König & Söhne")
        #expect(entry.summary == "a &amp; b")
    }

    // MARK: - Secrets

    private static let secret = """
        sources:
          shop:
            title: The Shop
            hosts:
              api.example.org:
                headers:
                  Authorization: {env: VITRINE_SHOP_TOKEN, prefix: "Bearer "}
                  Accept: application/vnd.shop+json
                query: {apikey: {env: VITRINE_SHOP_KEY}}
              "*.example.org": {}
            kinds:
              chair:
                request: https://api.example.org/chairs/{id}
                chain: [{url: $.image}]
        """

    @Test func `secrets go to their host only, and no text shows them`() async throws {
        let source = try ConfiguredSource(
            yaml: Self.secret,
            environment: ["VITRINE_SHOP_TOKEN": "t0p", "VITRINE_SHOP_KEY": "s&cret"])
        let api = AnsweringAPI([
            "https://api.example.org/chairs/1": #"{"image":"https://img.example.org/1.jpg"}"#
        ])
        let item = try source.item(kind: "chair", id: "1")
        _ = try await source.details(of: item, api: api)
        let call = try #require(api.asked.first)
        #expect(
            call.headers.map { "\($0.name): \($0.value)" }.sorted()
                == ["Accept: application/vnd.shop+json", "Authorization: Bearer t0p"])
        #expect(call.secretQuery == "apikey=s%26cret")
        #expect(
            source.fields(forHost: "api.example.org").map { $0.value.reveal() }.contains(
                "Bearer t0p"))
        #expect(source.fields(forHost: "img.example.org").isEmpty)
        let shown = "\(source.definition) \(source.fields(forHost: "api.example.org")) \(call)"
        #expect(!shown.contains("t0p") && !shown.contains("s&cret") && !shown.contains("s%26"))
    }

    @Test func `a source without its secret says which variable to set`() async throws {
        let source = try ConfiguredSource(
            yaml: Self.secret, environment: ["VITRINE_SHOP_KEY": "x"])
        let item = try source.item(kind: "chair", id: "1")
        await #expect(
            throws: Failure.unconfigured(
                reason: "The Shop needs “Authorization” for api.example.org; set "
                    + "VITRINE_SHOP_TOKEN.")
        ) { try await source.details(of: item, api: AnsweringAPI([:])) }
    }

    @Test func `a secret is read from a file, without white space around it`() async throws {
        try await withScratchDirectory { directory in
            try writeFile("\(directory)/key", " k3y \n")
            let text = Self.secret.replacing(
                "{env: VITRINE_SHOP_KEY}", with: "{file: \(directory)/key}")
            let source = try ConfiguredSource(yaml: text)
            #expect(source.definition.hosts[0].query[0].value?.reveal() == "k3y")
            let missing = complaint(text.replacing("/key}", with: "/none}"))
            #expect(
                missing?.hasPrefix(
                    "v.yaml:9: sources.shop.hosts.api.example.org.query.apikey.file can't be used: "
                        + "Can't read \(directory)/none") == true, "\(missing ?? "")")
        }
    }

    // MARK: - Files

    @Test func `sources come from further files, each name once`() async throws {
        try await withScratchDirectory { directory in
            let file = "\(directory)/shop.yaml"
            try writeFile(file, yaml())
            let settings = try SettingsLayers(environment: ["VITRINE_SOURCE_FILES": file]).load()
                .settings
            #expect(settings.sources.map(\.name) == ["shop"])
            let own = "\(yaml())sourceFiles: [\(file)]\n"
            #expect(
                complaint(own)
                    == "\(file): sources.shop is described twice; remove one or rename it.")
            try writeFile(file, "server: {port: 80}\n")
            #expect(
                complaint("sourceFiles: [\(file)]\n")
                    == "\(file):1: server.port is not a source; sourceFiles have nothing but "
                    + "sources.")
            #expect(
                complaint("sourceFiles: [none.yaml]\n")?.hasPrefix(
                    "sourceFiles: Can't read none.yaml") == true)
        }
    }

    @Test func `the variable of the mapping itself is refused`() {
        #expect(
            complaint("", environment: ["VITRINE_SOURCES": "shop"])
                == "VITRINE_SOURCES is “shop”; expected a mapping in the configuration file, or "
                + "sourceFiles.")
    }
}
