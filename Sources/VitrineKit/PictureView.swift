// Not compiled on Linux, which has neither UIKit nor SwiftUI.

#if canImport(UIKit)
    public import UIKit

    extension ThumbHash {
        /// The blurred picture, to show until the thumbnail is there.
        public func image(side: Int = 32, aspectRatio: Double? = nil) -> UIImage? {
            let pixels = pixels(side: side, aspectRatio: aspectRatio)
            guard let data = CGDataProvider(data: Data(pixels.bytes) as CFData),
                let image = CGImage(
                    width: pixels.width, height: pixels.height, bitsPerComponent: 8,
                    bitsPerPixel: 32, bytesPerRow: pixels.width * 4,
                    space: CGColorSpaceCreateDeviceRGB(),
                    bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.last.rawValue),
                    provider: data, decode: nil, shouldInterpolate: true,
                    intent: .defaultIntent)
            else { return nil }
            return UIImage(cgImage: image)
        }
    }
#endif

#if canImport(SwiftUI) && canImport(UIKit)
    public import SwiftUI

    /// The picture of an item: its ThumbHash, then the thumbnail that is sharp here.
    public struct PictureView: View {
        private let item: Item
        private let client: VitrineClient
        private let levels: [Level]
        @Environment(\.displayScale) private var scale

        public init(_ item: Item, _ client: VitrineClient, levels: [Level] = Level.standard) {
            (self.item, self.client, self.levels) = (item, client, levels)
        }

        public var body: some View {
            GeometryReader { place in
                let step = item.levels(for: place.size, scale: scale, among: levels).last
                AsyncImage(url: step.flatMap { client.url(of: $0.url) }) { image in
                    image.resizable().scaledToFit()
                } placeholder: {
                    if let hash = item.thumbhash.flatMap(ThumbHash.init(base64:)),
                        let blurred = hash.image(aspectRatio: item.aspectRatio)
                    {
                        Image(uiImage: blurred).resizable().scaledToFit()
                    }
                }
                .frame(width: place.size.width, height: place.size.height)
            }
            .accessibilityLabel(item.title)
        }
    }
#endif
