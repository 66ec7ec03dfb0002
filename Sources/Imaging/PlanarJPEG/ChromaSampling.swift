import CTurboJPEG

/// How many pixels share a color sample.
enum ChromaSampling: CaseIterable {
    case gray, whole, across, both, down, fourAcross

    /// Pixels per color sample in each direction; brightness has one sample a pixel.
    var factors: (across: Int, down: Int) {
        switch self {
        case .gray, .whole: (1, 1)
        case .across: (2, 1)
        case .both: (2, 2)
        case .down: (1, 2)
        case .fourAcross: (4, 1)
        }
    }

    var planes: Int { self == .gray ? 1 : 3 }

    /// The library's number for it.
    var code: Int32 {
        let code =
            switch self {
            case .gray: TJSAMP_GRAY
            case .whole: TJSAMP_444
            case .across: TJSAMP_422
            case .both: TJSAMP_420
            case .down: TJSAMP_440
            case .fourAcross: TJSAMP_411
            }
        return Int32(code.rawValue)
    }

    /// That of thumbnails.
    var thumbnail: ChromaSampling { self == .gray ? .gray : .both }
}
