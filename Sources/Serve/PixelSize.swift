/// Width and height in pixels, in the JSON form of the API.
struct PixelSize: Encodable {
    var width: Int
    var height: Int
}

extension PixelSize {
    /// Returns nil unless both are known.
    init?(_ width: Int?, _ height: Int?) {
        guard let width, let height else { return nil }
        self.init(width: width, height: height)
    }
}
