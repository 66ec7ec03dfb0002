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
