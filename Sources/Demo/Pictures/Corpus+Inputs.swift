package import Imaging

extension Corpus {
    /// What originals are made of besides plain JPEG: a format, and how it has its colors.
    package enum Input: String, Sendable, CaseIterable {
        case jpeg
        case wholeJPEG = "jpeg-444"
        case progressiveJPEG = "jpeg-progressive"
        case grayJPEG = "jpeg-gray"
        /// With the profile Display P3.
        case wideJPEG = "jpeg-p3"
        case inkJPEG = "jpeg-cmyk"
        case png
        case transparentPNG = "png-alpha"
        case webP = "webp"
        case transparentWebP = "webp-alpha"
        case tiff, gif, avif, jxl
        /// JPEG 2000 without tiles.
        case jp2

        /// Of a file's name.
        package var fileExtension: String {
            switch self {
            case .jpeg, .wholeJPEG, .progressiveJPEG, .grayJPEG, .wideJPEG, .inkJPEG: "jpg"
            case .png, .transparentPNG: "png"
            case .webP, .transparentWebP: "webp"
            case .tiff: "tif"
            case .gif, .avif, .jxl, .jp2: rawValue
            }
        }

        /// For libvips' writers.
        private var options: String {
            switch self {
            case .jpeg, .grayJPEG: "Q=88"
            case .wholeJPEG: "Q=92,subsample_mode=off"
            case .progressiveJPEG: "Q=88,interlace"
            case .wideJPEG: "Q=88,profile=p3"
            case .inkJPEG: "Q=88"
            case .png, .transparentPNG: "compression=3,filter=all"
            case .webP, .transparentWebP: "Q=85,effort=2"
            case .tiff: "compression=lzw,predictor=horizontal"
            case .gif: "effort=1"
            case .avif: "Q=60,effort=1"
            case .jxl: "Q=85,effort=3"
            case .jp2: "Q=38,subsample_mode=off,tile_width=4096,tile_height=4096"
            }
        }

        /// Returns a file of this kind.
        package func file(of canvas: Canvas) throws -> [UInt8] {
            try canvas.file(".\(fileExtension)[\(options)]", colors)
        }

        private var colors: Canvas.FileColors {
            switch self {
            case .grayJPEG: .gray
            case .inkJPEG: .ink
            case .transparentPNG, .transparentWebP: .transparent
            case .jpeg, .wholeJPEG, .progressiveJPEG, .wideJPEG, .png, .webP, .tiff, .gif, .avif,
                .jxl, .jp2:
                .rgb
            }
        }
    }

    /// One of `count` pictures of 2000×3000, in all formats. Blocks for up to a minute.
    package func inputs(_ index: Int, of count: Int) throws -> [(kind: Input, bytes: [UInt8])] {
        let canvas = try drawn(.large, index, of: count).canvas
        return try Input.allCases.map { ($0, try $0.file(of: canvas)) }
    }
}
