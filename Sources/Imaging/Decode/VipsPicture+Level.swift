import CVips

extension VipsPicture: LevelPixels {
    func resampled(to size: PixelSize) throws(ImagingError) -> VipsPicture {
        try resized(to: size)
    }

    func framed(_ framing: Framing) throws(ImagingError) -> VipsPicture {
        switch framing.cut {
        case .none: return self
        case .crop(let size, let gravity) where gravity.isSmart:
            let interest =
                gravity == .attention ? VIPS_INTERESTING_ATTENTION : VIPS_INTERESTING_ENTROPY
            return try applying {
                vitrine_vips_smart_crop($0, Int32(size.width), Int32(size.height), interest, $1)
            }.inMemory(within: .none)
        case .crop(let size, let gravity):
            let (left, top) = Framing.corner(of: size, in: self.size, gravity)
            return try applying {
                vitrine_vips_crop(
                    $0, Int32(left), Int32(top), Int32(size.width), Int32(size.height), $1)
            }.inMemory(within: .none)
        case .ground(let size): return try onGround(size)
        }
    }

    /// Returns the picture in the middle of a ground of its own color.
    private func onGround(_ size: PixelSize) throws(ImagingError) -> VipsPicture {
        let small = try resized(to: self.size.fitting(PictureSummary.box)).pixels()
        let ground = samples(of: small.dominantColor)
        let (left, top) = Framing.even((size.width - width) / 2, (size.height - height) / 2)
        return try applying {
            vitrine_vips_on_ground(
                $0, Int32(left), Int32(top), Int32(size.width), Int32(size.height), ground,
                Int32(ground.count), $1)
        }.inMemory(within: .none)
    }

    /// Returns a color in the bands of the picture's colors.
    func samples(of color: RGB) -> [Double] {
        bands < 3
            ? [Double(color.red)] : [Double(color.red), Double(color.green), Double(color.blue)]
    }

    func prepareForEncoding() {}

    func encoded(
        as encoding: Encoding, in workspace: RenderWorkspace
    ) throws(ImagingError) -> [UInt8] {
        try encoding.encode(self)
    }

    func pixels() throws(ImagingError) -> PixelBuffer { try pixels(within: .none) }
}
