import CPixels

extension Planes {
    /// Returns planes of straight colors, without the alpha.
    func straight(_ alpha: pixels_plane) -> Planes {
        let result = Planes(size, .both, in: workspace)
        pixels_straight_luma(planes[0], alpha, result.planes[0])
        for index in 1..<planes.count {
            pixels_straight_chroma(planes[index], alpha, result.planes[index])
        }
        return result
    }

    /// Returns the picture over a background, without alpha; an opaque one as it is.
    func flattened(on background: RGB) -> Planes {
        guard let alpha else { return self }
        let result = Planes(size, .both, in: workspace)
        let ground = Self.samples(of: background, in: workspace)
        pixels_flatten_luma(planes[0], alpha, ground[0], result.planes[0])
        for index in 1..<planes.count {
            pixels_flatten_chroma(planes[index], alpha, ground[index], result.planes[index])
        }
        result.prepareForEncoding()
        return result
    }

    private static func samples(of color: RGB, in workspace: RenderWorkspace) -> [Int32] {
        let one = Planes(PixelSize(width: 1, height: 1), .both, in: workspace)
        let pixel = [color.red, color.green, color.blue]
        pixels_rgb_to_planes(pixel, pixel, 0, one.planes[0], one.planes[1], one.planes[2])
        return withExtendedLifetime(one) { one.planes.map { Int32($0.samples[0]) } }
    }
}
