import Testing

@testable import Catalog

/// Files as spreadsheets, shops and scripts write them.
@Suite struct ListFileTests {
    struct File: CustomTestStringConvertible {
        var writer: String
        var bytes: [UInt8]
        /// `id title place` of the first picture; nil for a list that is refused.
        var first: String?
        var count = 0
        var refusal: String?

        var testDescription: String { writer }

        init(_ writer: String, _ text: String, _ first: String, _ count: Int) {
            self.writer = writer
            bytes = Array(text.utf8)
            self.first = first
            self.count = count
        }

        init(_ writer: String, _ bytes: [UInt8], refusal: String) {
            self.writer = writer
            self.bytes = bytes
            self.refusal = refusal
        }
    }

    static let files: [File] = [
        File(
            "Excel, CSV UTF-8",
            "\u{FEFF}SKU;Titel;Bild\r\nA1;Äpfel;https://a/1.jpg\r\nA2;;https://a/2.jpg\r\n",
            "A1 Äpfel https://a/1.jpg", 2),
        File(
            "Excel with a separator line",
            "sep=;\r\nid;name;image\r\n1;\"Up; down\";https://a/1.jpg\r\n",
            "1 Up; down https://a/1.jpg", 1),
        File(
            "LibreOffice, all text quoted",
            "\"sku\",\"name\",\"poster_url\"\n\"S1\",\"A \"\"B\"\"\",\"https://a/1.jpg\"\n",
            "S1 A \"B\" https://a/1.jpg", 1),
        File(
            "Google Sheets, a cell of two lines",
            "id,title,url\r\n1,\"One\r\ntwo\",https://a/1.jpg\r\n2,Two,https://a/2.jpg",
            "1 One\ntwo https://a/1.jpg", 2),
        File(
            "Numbers, rows of empty cells",
            "sku;poster\n1;https://a/1.jpg\n;\n;\n2;https://a/2.jpg\n", "1 - https://a/1.jpg", 2),
        File(
            "a database, tabs", "id\ttitle\tcover\n7\tA, B; C\thttps://a/7.jpg\n",
            "7 A, B; C https://a/7.jpg", 1),
        File(
            "PostgreSQL, copy with bars", "id|title|cover_url\n7|T|https://a/7?x=1,2\n",
            "7 T https://a/7?x=1,2", 1),
        File(
            "Shopify",
            """
            Handle,Title,Body (HTML),Variant SKU,Image Src,Image Position,Status
            shirt,Shirt,"<p>a, b</p>",S-1,https://cdn.shopify.com/s/1.jpg?v=1,1,active
            shirt,,,,https://cdn.shopify.com/s/2.jpg?v=1,2,

            """, "S-1 Shirt https://cdn.shopify.com/s/1.jpg?v=1", 2),
        File(
            "WooCommerce, several pictures in a cell",
            """
            ID,Type,SKU,Name,Images
            10,simple,W1,Cap,"https://w/1.jpg, https://w/2.jpg"

            """, "10 Cap https://w/1.jpg", 1),
        File(
            "Google Merchant feed",
            "id\ttitle\tlink\timage_link\n1\tA\thttps://s/p/1\thttps://s/i/1.jpg\n",
            "1 A https://s/i/1.jpg", 1),
        File(
            "pandas, with its index", ",sku,poster\n0,S1,https://a/1.jpg\n1,S2,https://a/2.jpg\n",
            "S1 - https://a/1.jpg", 2),
        File(
            "pandas, missing values", "sku,poster\nS1,https://a/1.jpg\nS2,\nS3,https://a/3.jpg\n",
            "S1 - https://a/1.jpg", 2),
        File(
            "a script, no heading", "S1,https://a/1.jpg,One\nS2,https://a/2.jpg,Two\n",
            "- - https://a/1.jpg", 2),
        File("wget's list", "https://a/1.jpg\nhttps://a/2.jpg\n\n", "- - https://a/1.jpg", 2),
        File(
            "an editor, blanks and a comment",
            "# posters\n\n  https://a/1.jpg  \t\nhttps://a/ü 2.jpg\n", "- - https://a/1.jpg", 2),
        File(
            "jq -c", "{\"id\":1.50,\"name\":\"A\",\"img\":\"https://a/1.jpg\",\"tags\":[]}\n",
            "1.50 A https://a/1.jpg", 1),
        File(
            "jq of texts", "\"https://a/1.jpg\"\n\"https://a/2.jpg\"\n", "- - https://a/1.jpg", 2),
        File(
            "Python's csv, IIIF addresses",
            "object,iiif\r\nO1,\"https://i/O1/full/400,/0/default.jpg\"\r\n",
            "- - https://i/O1/full/400,/0/default.jpg", 1),
        File(
            "a theme, addresses without a scheme", "sku,photo\n1,//cdn.example.org/1.jpg\n",
            "1 - https://cdn.example.org/1.jpg", 1),
        File(
            "Excel's workbook", [0x50, 0x4B, 0x03, 0x04, 0x14],
            refusal: "It is a workbook or an archive, not a text. Save the sheet as “CSV UTF-8”."),
        File(
            "Excel, Unicode text", [0xFF, 0xFE] + Array("u\0r\0l\0".utf8),
            refusal: "It is not UTF-8. Save it as “CSV UTF-8”."),
        File(
            "gzip", [0x1F, 0x8B, 0x08], refusal: "It is compressed. Unpack it with gunzip."),
        File(
            "Excel, CSV of Windows",
            Array("id;titel;bild\r\n".utf8)
                + (1...6).flatMap {
                    Array("\($0);K".utf8) + [0xE4] + Array("se;https://a/\($0)".utf8)
                        + [0xFC, 0x0D, 0x0A]
                },
            refusal: "None of lines 2 to 7 can be read. Line 2: it is not UTF-8; save the list as "
                + "UTF-8."
        ),
        File(
            "Excel, CSV of Macintosh", Array("sku,poster\r1,https://a/1.jpg\r".utf8),
            refusal:
                "Its lines end with CR, as on early Macintoshes. Save it as “CSV UTF-8”."),
    ]

    @Test(arguments: files)
    func `a file is read as meant, or refused in one sentence`(file: File) {
        let read = ReadList(file.bytes)
        #expect(read.refusal == file.refusal)
        #expect(read.pictures.count == file.count)
        guard let first = file.first, let picture = read.pictures.first else { return }
        let words = picture.split(separator: " ", maxSplits: 2).map(String.init)
        #expect("\(words[2]) \(words[1])" == first)
    }
}
