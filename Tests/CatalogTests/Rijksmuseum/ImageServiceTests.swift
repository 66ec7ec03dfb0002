import Catalog
import JSON
import Testing

@testable import Catalog

@Suite(.timeLimit(.minutes(1))) struct ImageServiceTests {
    @Test(
        arguments: [
            ("https://iiif.micr.io/PJEZO/full/max/0/default.jpg", "https://iiif.micr.io/PJEZO"),
            ("http://iiif.micr.io/PJEZO/full/max/0/default.jpg", "https://iiif.micr.io/PJEZO"),
            (
                "https://IIIF.micr.io:443/a-B_1/full/!9,9/0/default.png",
                "https://iiif.micr.io/a-B_1"
            ),
            ("https://iiif.micr.io/PJEZO/full/max/0/default.jpg/", nil),
            ("https://iiif.micr.io/PJEZO/full/max/0/default.jpg?x=1", nil),
            ("https://iiif.micr.io/PJEZO/full/max/0/default.tif", nil),
            ("https://iiif.micr.io/PJEZO/full/max/90/default.jpg", nil),
            ("https://iiif.micr.io/PJEZO/square/max/0/default.jpg", nil),
            ("https://iiif.micr.io/PJEZO/full//0/default.jpg", nil),
            ("https://iiif.micr.io//full/max/0/default.jpg", nil),
            ("https://iiif.micr.io/../full/max/0/default.jpg", nil),
            ("https://iiif.micr.io/a/PJEZO/full/max/0/default.jpg", nil),
            ("https://iiif.micr.io/%2e%2e/full/max/0/default.jpg", nil),
            ("https://iiif.micr.io/PJEZO/info.json", nil),
            ("https://iiif.micr.io/PJEZO", nil),
            ("https://iiif.micr.io.example.com/PJEZO/full/max/0/default.jpg", nil),
            ("https://x@iiif.micr.io/PJEZO/full/max/0/default.jpg", nil),
            ("https://iiif.micr.io:8443/PJEZO/full/max/0/default.jpg", nil),
            ("https://id.rijksmuseum.nl/PJEZO/full/max/0/default.jpg", nil),
        ] as [(String, String?)])
    func `an access point has five segments on the image server`(
        accessPoint: String, service: String?
    ) {
        #expect(ImageService(accessPoint: accessPoint)?.url == service)
    }

    @Test(
        arguments: [
            (#"{"width":4000,"height":3000}"#, 4_000, 3_000),
            (#"{"width":14645,"height":12158,"maxArea":17550000}"#, 4_597, 3_817),
            (#"{"width":4000,"height":3000,"maxWidth":2000}"#, 2_000, 1_500),
            (#"{"width":3000,"height":4000,"maxWidth":2000}"#, 1_500, 2_000),
            (#"{"width":3000,"height":4000,"maxWidth":2000,"maxHeight":400}"#, 300, 400),
            (#"{"width":30,"height":40,"maxWidth":"x","maxArea":0,"maxHeight":-1}"#, 30, 40),
            (#"{"width":90000,"height":1,"maxArea":100}"#, 3_000, 1),
            (
                #"{"width":1000000,"height":1000000,"maxArea":9223372036854775807}"#, 1_000_000,
                1_000_000
            ),
            (#"{"width":9,"height":9,"maxWidth":-9223372036854775808}"#, 9, 9),
        ])
    func `the most there is keeps the shape and every limit`(
        json: String, width: Int, height: Int
    ) throws {
        let info = try JSON(parsing: Array(json.utf8))
        #expect(ImageService.most(info) == PictureBox(width: width, height: height))
    }

    @Test(arguments: [
        "9223372036854775807", "9223372036854774784", "1000001", "0", "-1", "1e18", "1e400", "null",
    ])
    func `an impossible size is ignored`(number: String) throws {
        let json = #"{"width":\#(number),"height":3000}"#
        #expect(ImageService.most(try JSON(parsing: Array(json.utf8))) == nil)
    }
}
