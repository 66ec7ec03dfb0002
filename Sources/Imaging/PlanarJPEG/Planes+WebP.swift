import CPixels
import CWebP

extension Planes {
    /// Returns the planes of a WebP as libwebp decodes them, so that colors are never made to red, green and
    /// blue. An opaque picture has the format's limited range, see ``inFullRange()``, a transparent one the
    /// full range.
    ///
    /// - Returns: nil if the picture moves, is cut or broken, or isn't what its header said.
    static func webP(
        _ original: [UInt8], _ header: Header, in workspace: RenderWorkspace
    ) -> Planes? {
        let result = Planes(header.size, .both, hasAlpha: header.hasAlpha, in: workspace)
        let (luma, blue, red) = (result.planes[0], result.planes[1], result.planes[2])
        let to = vitrine_webp_planes(
            width: luma.width, height: luma.height, y: luma.samples, u: blue.samples,
            v: red.samples, a: result.alpha?.samples, yStride: luma.stride, uvStride: blue.stride)
        let status = original.withUnsafeBufferPointer {
            vitrine_webp_decode($0.baseAddress, $0.count, to)
        }
        guard status == 0 else { return nil }
        guard let alpha = result.alpha else { return result }
        if pixels_is_opaque_plane(alpha) == 1 {
            result.dropAlpha()
            return result
        }
        pixels_weigh_limited_luma(luma, alpha)
        for color in [blue, red] { pixels_weigh_limited_chroma(color, alpha) }
        return result
    }

    /// Returns a thumbnail whose samples have the full range, of planes that ``webP(_:_:in:)`` decoded.
    func inFullRange() -> Planes {
        if alpha != nil { return self }
        let result = Planes(size, sampling, in: workspace)
        pixels_unlimit_luma(planes[0], result.planes[0])
        for index in 1..<planes.count {
            pixels_unlimit_chroma(planes[index], result.planes[index])
        }
        return result
    }
}
