/// A number for an encoder; raw values are the names of the settings.
package enum EncoderSetting: String, Sendable, Hashable, CaseIterable {
    case jpegQuality, webpQuality, webpEffort, avifQuality, avifEffort, pngCompression

    package var range: ClosedRange<Int> {
        switch self {
        case .jpegQuality, .webpQuality, .avifQuality: 1...100
        case .webpEffort: 0...6
        case .avifEffort, .pngCompression: 0...9
        }
    }
}
