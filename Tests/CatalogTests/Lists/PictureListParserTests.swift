import Testing

@testable import Catalog

@Suite struct PictureListParserTests {
    @Test(arguments: [
        // Plain lines.
        (
            "https://a/b.jpg\n\n  # no\n https://c/d.jpg ",
            ["1 https://a/b.jpg - -", "4 https://c/d.jpg - -"]
        ),
        ("\u{FEFF}https://a/b.jpg\r\n", ["1 https://a/b.jpg - -"]),
        ("https://a/b,c.jpg", ["1 https://a/b,c.jpg - -"]),
        ("https://a/ä b.jpg", ["1 https://a/%C3%A4%20b.jpg - -"]),
        ("https://Bücher.example/b", ["1 https://xn--bcher-kva.example/b - -"]),
        ("//cdn.example.org/b.jpg", ["1 https://cdn.example.org/b.jpg - -"]),
        (
            "https://a/full/400,/0/default.jpg\nhttps://a/1,2,3,4/!90,90/0/x",
            ["1 https://a/full/400,/0/default.jpg - -", "2 https://a/1,2,3,4/!90,90/0/x - -"]
        ),
        ("https://a/x?size=3,4&w=2", ["1 https://a/x?size=3,4&w=2 - -"]),
        ("\"URL\"\n\"https://a/x,y\"", ["2 https://a/x,y - -"]),
        ("url\nhttps://a/x?size=3,4", ["2 https://a/x?size=3,4 - -"]),
        ("url\r\nhttps://a/b.jpg, c\r\n", ["2 https://a/b.jpg,%20c - -"]),
        ("url\nhttps://a/b.jpg https://a/c.jpg", ["2 https://a/b.jpg - -"]),
        ("Poster\nhttps://a/b", ["2 https://a/b - -"]),
        // Tables.
        ("id,URL,title\n7,https://a/b.jpg,T", ["2 https://a/b.jpg 7 T"]),
        (
            "\u{FEFF}url,title\r\n\"https://a/b,c\",\"a \"\"b\"\"\r\nc\"\r\n",
            ["2 https://a/b,c - a \"b\"\nc"]
        ),
        ("url;id\nhttps://a/b;1", ["2 https://a/b 1 -"]),
        ("title\timage_url\nT\thttps://a/b c", ["2 https://a/b%20c - T"]),
        ("id|poster\n1|https://a/b", ["2 https://a/b 1 -"]),
        (
            "sku,poster\n1,https://a/b,,\n,,,\n2,https://a/c",
            ["2 https://a/b 1 -", "4 https://a/c 2 -"]
        ),
        // A table without names, if it is certain where its URLs end.
        (
            "7,https://a/1.jpg\n8,https://a/x?id=2",
            ["1 https://a/1.jpg - -", "2 https://a/x?id=2 - -"]
        ),
        (
            "https://a/1.jpg,Poster 1\nhttps://a/2.jpg,B",
            ["1 https://a/1.jpg - -", "2 https://a/2.jpg - -"]
        ),
        ("\"https://a/1\",\"Poster\"", ["1 https://a/1 - -"]),
        // JSON lines.
        (
            "{\"url\":\"https://a/b\",\"id\":7,\"title\":\"T\",\"x\":[1]}\n\"https://a/c\"",
            ["1 https://a/b 7 T", "2 https://a/c - -"]
        ),
        ("\u{FEFF}{\"img\":\"https://a/b\"}", ["1 https://a/b - -"]),
        (
            "{\"page\":\"https://a/p\",\"coverUrl\":\"https://a/b\",\"sku\":\"S1\"}",
            ["1 https://a/b S1 -"]
        ),
    ])
    func `lists as people have them are read`(text: String, pictures: [String]) {
        let read = ReadList(text)
        #expect(read.pictures == pictures)
        #expect(read.bad.isEmpty && read.refusal == nil, "\(read)")
    }

    @Test(arguments: [
        ("https://a|b/c", 1, "“https://a|b/c” has “|” in its host name"),
        ("ftp://a/b", 1, "“ftp://a/b” is not an absolute http or https URL"),
        ("https://a /b?sig=geheim", 1, "“https://a /b” has a blank in its host name"),
        ("https://a/b https://a/c", 1, "it has more than a URL; write one URL a line"),
        ("no url", 1, "“no url” is not an absolute http or https URL"),
        ("url,id\nhttps://a/b", 2, "it has 1 columns, and the first line has 2"),
        ("url,id\n,7", 2, "its URL is empty"),
        ("url,id\n\"https://a/b,7\nx,y", 2, "a quotation mark is not closed"),
        ("{\"url\":\"https://a/b\"}\n{\"id\":1}", 2, "it has no member “url”"),
        ("{\"url\":\"https://a/b\"}\n{\"url\":[]}", 2, "its member “url” is not a text"),
        ("{\"url\":\"https://a/b\"}\n[]", 2, "it is not a JSON object"),
        ("{\"url\":\"https://a/b\"}\n{", 2, "it is not a JSON object"),
        ("https://a/\u{FFFD}", 1, "it is not UTF-8"),
    ])
    func `a bad line is named with its number`(text: String, line: Int, reason: String) {
        let bad = ReadList(text).bad
        #expect(bad.map(\.line) == [line])
        #expect(bad.first?.reason.hasPrefix(reason) == true, "\(bad)")
    }

    @Test(arguments: [
        (
            "sku,name,poster_url\n1,A,a/1.jpg\n2,B,a/2.jpg",
            "Line 1 names sku, name, poster_url; none is a URL column. Say --url-column poster_url."
        ),
        ("sku;name;poster_url", "Line 1 names sku, name, poster_url; none is a URL column. Say"),
        (
            "sku,front_image,back_image\n1,https://a/1.jpg,https://a/2.jpg",
            "Line 1 names sku, front_image, back_image; front_image and back_image have URLs. Say "
                + "--url-column front_image."
        ),
        (
            "https://a/x?id=5,Poster",
            "The columns of line 1 have no names, and it is unclear where"
        ),
        ("{\"id\":1,\"poster\":\"a.jpg\"}", "Line 1 names id, poster; none is a URL column. Say"),
        ("[{\"url\":\"https://a/1\"}]", "It is a JSON array. Write one object a line"),
        ("<!DOCTYPE html>\n<html>", "It is a page of HTML or XML, not a list."),
        ("a\nb\nc\nd\ne\nf", "None of lines 1 to 6 can be read. Line 1: “a” is not an absolute"),
    ])
    func `a list that doesn't say where its URLs are is refused in one sentence`(
        text: String, reason: String
    ) {
        let read = ReadList(text)
        #expect(read.pictures.isEmpty && read.bad.isEmpty)
        #expect(read.refusal?.hasPrefix(reason) == true, "\(read)")
    }

    @Test(arguments: [
        (
            ListColumns(url: "b", id: "C"), "sku,a,b,c\n1,https://x/1,https://x/2,9",
            ["2 https://x/2 9 -"]
        ),
        (ListColumns(url: "2", title: "3"), "https://x/1,https://x/2,T", ["1 https://x/2 - T"]),
        (ListColumns(url: "big picture"), "id,Big_Picture\n1,x", []),
        (
            ListColumns(url: "b"), "{\"a\":\"https://x/1\",\"b\":\"https://x/2\"}",
            ["1 https://x/2 - -"]
        ),
    ])
    func `an operator names the columns`(
        columns: ListColumns, text: String, pictures: [String]
    ) {
        let read = ReadList(text, columns)
        #expect(read.pictures == pictures)
        #expect(read.refusal == nil)
    }

    @Test func `a column that doesn't exist is refused in one sentence`() {
        let read = ReadList("sku,url\n1,https://a/1", ListColumns(url: "poster"))
        #expect(read.refusal == "Line 1 names sku, url; none is “poster”. Correct --url-column.")
    }

    @Test func `a URL never reaches into the rest of its line`() {
        let read = ReadList("https://a/1.jpg\nhttps://a/2.jpg,Poster 2\nhttps://a/3.jpg")
        #expect(read.pictures == ["1 https://a/1.jpg - -", "3 https://a/3.jpg - -"])
        #expect(read.bad.map(\.line) == [2])
    }

    @Test(arguments: ["a, b.jpg", "c/d, e", "name, other/x.png"])
    func `paths may contain commas where paths are taken`(path: String) {
        #expect(ReadList(path, takesPaths: true).pictures == ["1 \(path) - -"])
    }

    @Test(arguments: [
        ("url,id\nhttps://a/b.jpg|,7", "https://a/b.jpg"),
        ("id,url\n7,\"https://a/b.jpg,\"", "https://a/b.jpg"),
        ("id,url\n7,https://a/b.jpg;", "https://a/b.jpg"),
        ("id,url\n7,\"https://a/b.jpg |\"", "https://a/b.jpg"),
        ("id,url\n7,\"https://a/b.jpg ,; |\"", "https://a/b.jpg"),
        ("id,url\n7,\"https://a/b.jpg,\n\"", "https://a/b.jpg"),
        ("id,url\n7,\"|https://a/b.jpg\"", "https://a/b.jpg"),
        ("id,url\n7,https://a/b.jpg|https://a/c.jpg|", "https://a/b.jpg"),
        ("id,url\n7,\"https://a/b.jpg,,https://a/c.jpg\"", "https://a/b.jpg"),
        ("url\nhttps://a/b.jpg;", "https://a/b.jpg"), ("https://a/b.jpg|", "https://a/b.jpg"),
        ("https://a/b?id=1 ,", "https://a/b?id=1"), ("https://a/b?id=1;;", "https://a/b?id=1"),
        ("{\"url\":\"https://a/b.jpg|\"}", "https://a/b.jpg"),
        ("\"https://a/b.jpg;\"", "https://a/b.jpg"),
        // Within the URL they are part of it.
        ("id,url\n7,\"https://a/b,c;d|e.jpg\"", "https://a/b,c;d%7Ce.jpg"),
        ("id,url\n7,\"https://a/b?c=1,\"", "https://a/b?c=1"),
        ("id,url\n7,https://a/b?to=https://c/d.jpg", "https://a/b?to=https://c/d.jpg"),
        ("id,url\n7,https://a/b.", "https://a/b."), ("id,url\n7,https://a/b:", "https://a/b:"),
        ("id,url\n7,https://a/b/", "https://a/b/"), ("id,url\n7,https://a/b&", "https://a/b&"),
    ])
    func `separators around the only URL of a cell are not part of it`(text: String, url: String) {
        let read = ReadList(text)
        #expect(read.pictures.first?.split(separator: " ")[1] == url[...], "\(read)")
        #expect(read.pictures.count == 1 && read.bad.isEmpty)
    }

    @Test func `a path keeps its separators`() {
        #expect(ReadList("c/a, b;", takesPaths: true).pictures == ["1 c/a, b; - -"])
    }
}
