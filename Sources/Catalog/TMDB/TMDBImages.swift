/// All pictures of a movie in any language, the best rated first.
struct TMDBImages: Decodable {
    var posters: [TMDBImage] = []
    var backdrops: [TMDBImage] = []

    private enum Key: String, CodingKey { case posters, backdrops }

    init() {}

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        posters = fields.lenientArray(TMDBImage.self, .posters)
        backdrops = fields.lenientArray(TMDBImage.self, .backdrops)
    }
}

struct TMDBImage: Decodable {
    private var path: String
    /// Language of the picture's text; `nil` if it has none.
    private var language: String?

    private enum Key: String, CodingKey {
        case path = "file_path"
        case language = "iso_639_1"
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        path = try fields.decode(String.self, forKey: .path)
        language = fields.lenient(String.self, .language)?.nonEmpty
    }

    /// Returns the path of the first image in that language, else of one without text, in English,
    /// or in any language.
    static func choice(of images: [TMDBImage], language tag: String) -> String? {
        let wanted = tag.split(separator: "-").first.map(String.init)
        for language in [wanted, nil, "en"] {
            if let image = images.first(where: { $0.language == language }) { return image.path }
        }
        return images.first?.path
    }
}
