/// The settings of rendering, each with its default and the reason for it.
package struct ImagingConfiguration: Sendable {
    /// Render threads for quick renders, and as many for slow ones; 0 means one per core.
    package var threads = 0
    /// Predicted bytes of all running renders; the default is the share of a service with 1 GiB. A
    /// photograph of 100 megapixels takes 20 MiB as baseline JPEG, one of 48 megapixels 400 MiB as
    /// HEIC.
    package var memory = 472 << 20
    /// Queued renders per lane; beyond that a render fails with ``ImagingError/overloaded``.
    package var queueLimit = 10_000
    /// Bytes of queued originals; a thousand covers are 60 MB.
    package var queueMemory = 320 << 20
    /// Processor time of a render in this process; the largest allowed pictures take 3 s. Four
    /// times as much may pass on the clock.
    package var deadline: Duration = .seconds(10)
    /// Bytes of an original; a PNG of 60 megapixels from a camera has up to 200 MB.
    package var maxBytes = 256 << 20
    /// Pixels of an original before decoding; the largest cameras have 102 million.
    package var maxPixels = 120_000_000
    /// Either side of an original in pixels; the largest that JPEG and GIF can name.
    package var maxSide = 65_535
    /// Frames or pages of an original; only the first is shown, but decoders scan all.
    package var maxFrames = 5_000
    /// All levels that are ever asked for: a thumbnail is made from the next larger one of them.
    package var levels = Level.defaults
    package var jpegQuality = 80
    package var webpQuality = 80
    /// libwebp's method, 0…6; 2 costs half of the usual 4 for 2.7 % more bytes.
    package var webpEffort = 2
    /// Half of the bytes of WebP at 80 for 2.7 dB; 60 is as exact as that in 30 % fewer bytes.
    package var avifQuality = 50
    /// 0…9, libaom's speed backwards; at 640 pixels 2 takes 100 ms. At the same SSIMULACRA2 1 takes
    /// 63 ms for a third more bytes, and 3 takes 195 ms for a fifth fewer.
    package var avifEffort = 2
    /// zlib's level, 0…9; at 640 pixels 3 takes 23 ms, 6 takes 61 ms for 3 % less.
    package var pngCompression = 3
    /// Encoder settings of single levels, which override the ones above; each level once.
    package var perLevel: [LevelSettings] = []
    /// Background for transparent pictures in formats without alpha, `#rrggbb`.
    package var background = RGB(red: 255, green: 255, blue: 255)
    package var placeholder = PlaceholderStyle()
    package var sheet = SheetPolicy()
    package var isolation = IsolationPolicy()
    /// Which part of the program makes thumbnails.
    package var lane = Lane.Choice.auto

    package init() {}

    /// Returns the value of a setting for a level.
    package func value(_ setting: EncoderSetting, level: String) -> Int {
        if let own = perLevel.first(where: { $0.level == level })?.values[setting] { return own }
        return switch setting {
        case .jpegQuality: jpegQuality
        case .webpQuality: webpQuality
        case .avifQuality: avifQuality
        case .avifEffort: avifEffort
        }
    }
}

/// Encoder settings of one level, which override those for all.
package struct LevelSettings: Sendable, Hashable {
    /// The level's name.
    package var level: String
    package var values: [EncoderSetting: Int]

    package init(level: String, values: [EncoderSetting: Int]) {
        self.level = level
        self.values = values
    }
}

/// A number for an encoder; raw values are the names of the settings.
package enum EncoderSetting: String, Sendable, Hashable, CaseIterable {
    case jpegQuality, webpQuality, avifQuality, avifEffort

    package var range: ClosedRange<Int> {
        switch self {
        case .jpegQuality, .webpQuality, .avifQuality: 1...100
        case .avifEffort: 0...9
        }
    }
}
