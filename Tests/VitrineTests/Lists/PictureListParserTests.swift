import Testing

@testable import Console
@testable import vitrine

@Suite struct PictureListParserTests {
    /// Returns the pictures of a list as `line place id title`, and its bad lines.
    private func read(
        _ text: String, takesPaths: Bool = false
    ) -> (pictures: [String], bad: [BadLine]) {
        var parser = PictureListParser(takesPaths: takesPaths)
        var pictures: [String] = []
        var bad: [BadLine] = []
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            do throws(BadLine) {
                if let picture = try parser.picture(inLine: String(line), index + 1) {
                    let parts = [picture.place, picture.id ?? "-", picture.title ?? "-"]
                    pictures.append("\(picture.line) \(parts.joined(separator: " "))")
                }
            } catch {
                bad.append(error)
                if error.isWholeList { return (pictures, bad) }
            }
        }
        do throws(BadLine) { try parser.finish() } catch { bad.append(error) }
        return (pictures, bad)
    }

    @Test(arguments: [
        // Plain lines.
        ("https://a/b.jpg\n\n  # no\n c/d.jpg ", ["1 https://a/b.jpg - -", "4 c/d.jpg - -"]),
        (
            "\u{FEFF}https://a/b.jpg\r\nhttps://a/c.jpg\r\n",
            [
                "1 https://a/b.jpg - -", "2 https://a/c.jpg - -",
            ]
        ),
        ("https://a/b,c.jpg", ["1 https://a/b,c.jpg - -"]),
        ("https://a/ä b.jpg", ["1 https://a/%C3%A4%20b.jpg - -"]),
        (
            "https://a/full/400,/0/default.jpg\nhttps://a/1,2,3,4/!90,90/0/x",
            ["1 https://a/full/400,/0/default.jpg - -", "2 https://a/1,2,3,4/!90,90/0/x - -"]
        ),
        ("https://a/x?size=3,4&w=2", ["1 https://a/x?size=3,4&w=2 - -"]),
        ("\"URL\"\n\"https://a/x,y\"", ["2 https://a/x,y - -"]),
        ("url\nhttps://a/x?size=3,4", ["2 https://a/x?size=3,4 - -"]),
        ("url\r\nhttps://a/b.jpg, c\r\n", ["2 https://a/b.jpg,%20c - -"]),
        // CSV, with RFC 4180's quotation marks.
        ("id,URL,title\n7,https://a/b.jpg,T", ["2 https://a/b.jpg 7 T"]),
        (
            "\u{FEFF}url,title\r\n\"https://a/b,c\",\"a \"\"b\"\"\r\nc\"\r\nx,y\r\n",
            [
                "2 https://a/b,c - a \"b\"\nc", "4 x - y",
            ]
        ),
        ("url;id\nhttps://a/b;1", ["2 https://a/b 1 -"]),
        ("url\nhttps://a/b", ["2 https://a/b - -"]),
        // TSV.
        ("title\timage_url\nT\thttps://a/b c", ["2 https://a/b%20c - T"]),
        // JSON lines.
        (
            "{\"url\":\"https://a/b\",\"id\":7,\"title\":\"T\",\"x\":[1]}\n\"https://a/c\"",
            [
                "1 https://a/b 7 T", "2 https://a/c - -",
            ]
        ),
    ])
    func `lists as people have them are read`(text: String, pictures: [String]) {
        let read = read(text)
        #expect(read.pictures == pictures)
        #expect(read.bad.isEmpty)
    }

    @Test(arguments: [
        ("https://ä.example/b", 1, "“https://ä.example/b” has a host name that is not ASCII"),
        ("https://a /b", 1, "“https://a /b” has a blank in its host name"),
        ("url,id\nhttps://a/b", 2, "it has 1 columns, and the first line names 2"),
        ("url,id\n,7", 2, "its URL is empty"),
        ("url,id\n\"https://a/b,7\nx,y", 2, "a quotation mark is not closed"),
        ("{\"url\":\"https://a/b\"}\n{\"id\":1}", 2, "it has no member “url”"),
        ("{\"url\":\"https://a/b\"}\n{", 2, "it is not a JSON object"),
        ("https://a/\u{FFFD}", 1, "it is not UTF-8"),
    ])
    func `a bad line is named with its number`(text: String, line: Int, reason: String) {
        let bad = read(text).bad
        #expect(bad.map(\.line) == [line])
        #expect(bad.first?.reason.hasPrefix(reason) == true, "\(bad)")
    }

    @Test(arguments: [
        (
            "sku,name,poster_url\n1,A,https://a/1.jpg\n2,B,https://a/2.jpg",
            "it names sku, name and poster_url, and none of them is “url”; call the column with the "
                + "URLs “url”"
        ),
        ("\u{FEFF}sku;poster\r\n1;https://a/1.jpg", "it names sku and poster, and none"),
        ("sku\tposter\n1\thttps://a/1.jpg", "it names sku and poster, and none"),
        ("https://a/1.jpg,Poster 1\nhttps://a/2.jpg,Poster 2", "it has something behind its URL;"),
        ("https://a/1.jpg,Poster%201", "it has something behind its URL;"),
        ("https://a/1.jpg;7", "it has something behind its URL;"),
        ("https://a/1.jpg\tPoster", "it has something behind its URL;"),
        ("https://a/1.jpg,AC/DC.jpg", "it has something behind its URL;"),
        ("https://a/x?id=5,Poster", "it has something behind its URL;"),
        ("\"https://a/1.jpg\",\"Poster\"", "its URL is not its first part;"),
        ("7,https://a/1.jpg", "its URL is not its first part;"),
    ])
    func `a list that doesn't say where its URLs are is refused as a whole`(
        text: String, reason: String
    ) {
        let read = read(text)
        #expect(read.pictures.isEmpty)
        #expect(read.bad.map(\.isWholeList) == [true])
        #expect(read.bad.first?.reason.hasPrefix(reason) == true, "\(read.bad)")
    }

    @Test func `a URL never reaches into the rest of its line`() {
        let read = read("https://a/1.jpg\nhttps://a/2.jpg,Poster 2\nhttps://a/3.jpg")
        #expect(read.pictures == ["1 https://a/1.jpg - -", "3 https://a/3.jpg - -"])
        #expect(read.bad.map(\.line) == [2])
        #expect(read.bad.map(\.isWholeList) == [false])
    }

    @Test(arguments: ["a, b.jpg", "c/d, e", "name, other/x.png"])
    func `paths may contain commas where paths are taken`(path: String) {
        #expect(read(path, takesPaths: true).pictures == ["1 \(path) - -"])
        #expect(read(path).bad.map(\.isWholeList) == [true])
    }

    @Test(arguments: [
        ("http://a/b", "http://a/b"), ("http://a", "http://a"),
        ("http://a/b c?d e#f g", "http://a/b%20c?d%20e"), ("http://a\\b\\c", "http://a/b/c"),
        ("http://a/%20%zz", "http://a/%20%zz"),
        ("http://a/'\"`{}<>^|", "http://a/'%22%60%7B%7D%3C%3E%5E|"),
        ("http://a/?'\"`{}", "http://a/?%27%22`{}"), ("http://a/é?é", "http://a/%C3%A9?%C3%A9"),
    ])
    func `URLs are encoded as browsers do`(text: String, url: String) {
        #expect(BrowserURL.encoded(text) == url)
    }
}
