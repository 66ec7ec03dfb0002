package import JSON
import PlayedAPIs
package import TestSupport

/// TVmaze as the harness plays it, with invented contents.
extension Harness {
    /// A show's document. Its pictures are at `/medium/ID.jpg` and `/original/ID.jpg`, at the paths
    /// that are given, or nowhere where that is nil.
    package static func show(_ id: Int, medium: String? = "", original: String? = "") -> String {
        func url(_ kind: String, _ path: String?) -> JSON? {
            path.map { "https://\(imageHost)\($0.isEmpty ? "/\(kind)/\(id).jpg" : $0)" }
        }
        var show = TVMazeShow(id: id)
        if medium != nil || original != nil {
            show.image = TVMazeShow.links(
                medium: url("medium", medium), original: url("original", original))
        }
        return show.json.text
    }

    package func serveShow(_ id: Int, medium: String? = "", original: String? = "") {
        origin.on(
            "/shows/\(id)", host: Self.apiHost,
            .json(Self.show(id, medium: medium, original: original)))
    }

    /// Plays a show with one picture of its own.
    ///
    /// - Parameters:
    ///   - maxAge: seconds for which the picture is fresh.
    ///   - gate: opened when the picture is to come.
    package func servePicture(
        _ id: Int = 1, width: Int = 68, height: Int = 100, maxAge: Int? = nil,
        until gate: Gate? = nil
    ) {
        serveShow(id, medium: nil)
        let picture = FixtureImages.jpeg(width: width, height: height, seed: UInt64(id))
        let reply = OriginReply.jpeg(picture, maxAge: maxAge)
        origin.on("/original/\(id).jpg", gate.map { reply.delayed(until: $0) } ?? reply)
    }

    /// Show 1 with both its pictures, and its main poster in both sizes.
    package func servePoster() {
        serveShow(1)
        let poster = Self.image(
            1, isMain: true, "poster", width: 680, height: 1_000, medium: "small")
        origin.on("/shows/1/images", host: Self.apiHost, .json(JSON.list([poster]).text))
        for (name, width) in [
            ("poster", 680), ("small", 210), ("original/1", 500), ("medium/1", 209),
        ] {
            serve(Self.imageHost, "/\(name).jpg", width)
        }
    }

    /// An element of a show's list of pictures, at `/NAME.jpg`.
    package static func image(
        _ id: Int, isMain: Bool, _ name: String, width: Int, height: Int, medium: String? = nil
    ) -> JSON {
        func url(_ name: String) -> String { "https://\(imageHost)/\(name).jpg" }
        return TVMazeImage(
            id: id, isMain: isMain, original: (url(name), width, height),
            medium: medium.map { (url($0), 210, 295) }
        ).json
    }
}
