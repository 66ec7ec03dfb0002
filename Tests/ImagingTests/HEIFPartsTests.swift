import TestSupport
import Testing

@testable import Imaging

/// HEIC and AVIF that are put together of several pictures.
@Suite(.timeLimit(.minutes(1))) struct HEIFPartsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let canvas: FixtureImages.HEIFCanvas
        /// The size of the picture, or why it is refused.
        let expected: Result<PixelSize, ImagingError>

        init(
            _ name: String, _ canvas: FixtureImages.HEIFCanvas, shows width: Int, _ height: Int
        ) {
            testDescription = name
            self.canvas = canvas
            expected = .success(PixelSize(width: width, height: height))
        }

        init(_ name: String, _ canvas: FixtureImages.HEIFCanvas, isRefused reason: String) {
            testDescription = name
            self.canvas = canvas
            expected = .failure(.broken(reason: reason))
        }
    }

    /// Of parts of 64×64 pixels.
    static let cases = [
        Case(
            "four tiles", .grid(width: 128, height: 100, columns: 2, rows: 2), shows: 128, 100),
        Case(
            "one tile", .grid(width: 900, height: 660, columns: 1, rows: 1),
            isRefused: "its tiles cover 64×64 of 900×660 pixels"),
        Case(
            "a row too few", .grid(width: 128, height: 129, columns: 2, rows: 2),
            isRefused: "its tiles cover 128×128 of 128×129 pixels"),
        Case(
            "two pictures", .overlay(width: 90, height: 80, places: [(0, 0), (26, 16)]), shows: 90,
            80),
        Case(
            "a picture beyond the right edge", .overlay(width: 90, height: 80, places: [(27, 0)]),
            isRefused: "its overlay puts 64×64 pixels at 27, 0 of a canvas of 90×80"),
        Case(
            "a picture above the top", .overlay(width: 90, height: 80, places: [(0, -1)]),
            isRefused: "its overlay puts 64×64 pixels at 0, -1 of a canvas of 90×80"),
        Case("a crop", .crop([32, 1, 48, 1, 0, 1, 0, 1]), shows: 32, 48),
        Case("a crop at the edge", .crop([32, 1, 48, 1, 16, 1, -8, 1]), shows: 32, 48),
        Case(
            "a crop beyond the edge", .crop([32, 1, 48, 1, 18, 1, 0, 1]),
            isRefused: "it is cropped to an area that reaches beyond the picture"),
        Case(
            "a crop that is larger", .crop([80, 1, 48, 1, 0, 1, 0, 1]),
            isRefused: "it is cropped to an area that reaches beyond the picture"),
        Case(
            "a crop of no width", .crop([0, 1, 48, 1, 0, 1, 0, 1]),
            isRefused: "it is cropped to nothing"),
        Case("an alpha", .alpha(width: 64, height: 64), shows: 64, 64),
        Case(
            "a small alpha", .alpha(width: 32, height: 64),
            isRefused: "its transparency has 32×64 pixels, its colors 64×64"),
    ]

    private func outcome(_ picture: [UInt8]) async -> Result<PixelSize, ImagingError> {
        do {
            let info = try await rendered(picture, [.tiny], .isolated(.child())).info
            return .success(PixelSize(width: info.width, height: info.height))
        } catch let error as ImagingError {
            return .failure(error)
        } catch {
            return .failure(.misconfigured(reason: "\(error)"))
        }
    }

    @Test(arguments: cases)
    func `a HEIC is rendered as a whole or refused`(one: Case) async {
        #expect(await outcome(FixtureImages.heif(.hevc, one.canvas)) == one.expected)
    }

    @Test(arguments: cases)
    func `an AVIF is rendered as a whole or refused`(one: Case) async throws {
        let avif = try ContainerHeaderTests.avif(width: 64, height: 64)
        let part = FixtureImages.HEIFPart.av1(of: avif, width: 64, height: 64)
        #expect(await outcome(FixtureImages.heif(part, one.canvas)) == one.expected)
    }

    /// One wrong byte in the data of 28.
    @Test(arguments: [10, 12, 14, 16, 18, 20, 22, 24, 26])
    func `a HEIC of which the decoder reports damage is refused`(place: Int) async {
        var part = FixtureImages.HEIFPart.hevc
        part.data[place] ^= 0x5A
        #expect(
            await outcome(FixtureImages.heif(part, .crop([64, 1, 64, 1, 0, 1, 0, 1])))
                == .failure(
                    .broken(reason: "its data is damaged, so that a part of it can't be decoded")))
    }

    @Test func `a grid with too few tiles is refused`() async {
        // A tile less in the list of references than in the grid's own numbers.
        let whole = FixtureImages.heif(.hevc, .grid(width: 128, height: 64, columns: 2, rows: 1))
        let grid: [UInt8] = [0, 1, 0, 1, 0, 0, 0, 128]
        let taller: [UInt8] = [0, 1, 1, 1, 0, 0, 0, 128]
        var bytes = whole
        if let place = bytes.firstRange(of: grid) { bytes.replaceSubrange(place, with: taller) }
        #expect(
            await outcome(bytes) == .failure(.broken(reason: "its grid has 2 of 4 tiles")))
    }
}
