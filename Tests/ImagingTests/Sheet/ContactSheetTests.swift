import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct ContactSheetTests {
    private static let cell = Level(name: "c", width: 40, height: 60)
    private static let red = RGB(red: 200, green: 30, blue: 40)
    private static let blue = RGB(red: 20, green: 40, blue: 180)

    private func sheet(
        _ thumbnails: [[UInt8]], _ layout: SheetLayout, _ format: ThumbnailFormat = .jpeg
    ) async throws -> DecodedPixels {
        let configuration = ImagingConfiguration.patient.with {
            $0.sheet.background = RGB(red: 0, green: 255, blue: 0)
        }
        return try DecodedPixels(
            await withRenderer(configuration) {
                try await $0.sheet(thumbnails, layout, format)
            })
    }

    private func near(_ one: [Int], _ other: [Int], _ tolerance: Int = 12) -> Bool {
        zip(one, other).allSatisfy { abs($0 - $1) <= tolerance }
    }

    @Test(arguments: [ThumbnailFormat.jpeg, .webp])
    func `each picture of a sheet lies in its frame, with background between`(
        format: ThumbnailFormat
    ) async throws {
        let one = try Canvas(width: 40, height: 60, fill: Self.red).encodeJPEG()
        let two = try Canvas(width: 32, height: 16, fill: Self.blue).encodeWebP()
        let layout = SheetLayout(count: 2, level: Self.cell)
        let found = try await sheet([one, two], layout, format)
        #expect(found.size == PixelSize(width: layout.width, height: layout.height))
        let first = layout.frame(0, width: 40, height: 60)
        let second = layout.frame(1, width: 32, height: 16)
        for (frame, color) in [(first, [200, 30, 40]), (second, [20, 40, 180])] {
            #expect(near(found.rgba(frame.x + 12, frame.y + 8), color))
            #expect(near(found.rgba(frame.x + frame.width - 9, frame.y + frame.height - 8), color))
        }
        #expect(near(found.rgba(second.x + 16, second.y - 10), [0, 255, 0]))
        #expect(near(found.rgba(second.x + 16, second.y + second.height + 10), [0, 255, 0]))
    }

    @Test func `gray and transparent thumbnails are drawn on a sheet`() async throws {
        let gray = FixtureImages.png(width: 40, height: 60, .gray) { _, _, _ in 90 }
        let clear = FixtureImages.png(width: 40, height: 60, .rgba) { _, y, band in
            band == 3 ? (y < 30 ? 255 : 0) : 200
        }
        let layout = SheetLayout(count: 2, level: Self.cell)
        let found = try await sheet([gray, clear], layout)
        let first = layout.frame(0, width: 40, height: 60)
        #expect(near(found.rgba(first.x + 20, first.y + 30), [90, 90, 90]))
        let second = layout.frame(1, width: 40, height: 60)
        #expect(near(found.rgba(second.x + 20, second.y + 10), [200, 200, 200]))
        #expect(near(found.rgba(second.x + 20, second.y + 50), [0, 255, 0]))
    }

    @Test(arguments: [ThumbnailFormat.jpeg, .webp, .png])
    func `a child draws the same sheet and serves nothing else`(
        format: ThumbnailFormat
    ) async throws {
        let thumbnails = [
            try Canvas(width: 40, height: 60, fill: Self.red).encodeJPEG(),
            FixtureImages.png(width: 30, height: 60, .rgba) { x, y, band in x * y + band },
            try Canvas(width: 32, height: 16, fill: Self.blue).encodeWebP(),
        ]
        let layout = SheetLayout(count: 3, level: Self.cell)
        // Limits of originals don't apply to sheets.
        let inside = ImagingConfiguration.isolated(.inside).with { $0.maxSide = 64 }
        let expected = try await withRenderer(inside) {
            try await $0.sheet(thumbnails, layout, format)
        }
        try await withRenderer(inside.with { $0.isolation = .child() }) {
            isolated async throws in
            for number in 1...2 {
                #expect(try await isolated.sheet(thumbnails, layout, format) == expected)
                #expect(isolated.children.started == number)
                #expect(isolated.children.idle.isEmpty)
            }
        }
    }

    @Test func `a thumbnail that crashes its decoder ends only a child`() async throws {
        let thumbnail = try Canvas(width: 40, height: 60, fill: Self.red).encodeJPEG()
        let error = await refusal(of: thumbnail, .child("aborts"))
        guard case .crashed? = error else { throw try #require(error) }
    }

    /// Why a sheet of one thumbnail can't be drawn.
    private func refusal(
        of thumbnail: [UInt8], _ policy: IsolationPolicy
    ) async -> ImagingError? {
        await #expect(throws: ImagingError.self) {
            try await withRenderer(.isolated(policy)) {
                try await $0.sheet(
                    [thumbnail], SheetLayout(count: 1, level: Self.cell), .webp)
            }
        }
    }

    @Test func `a broken thumbnail on a sheet gives the same error in a child and in this process`()
        async
    {
        let inside = await refusal(of: Array("<html>".utf8), .inside)
        #expect(await refusal(of: Array("<html>".utf8), .child()) == inside)
    }

    @Test func `a sheet is read back from its bytes, and from no others`() throws {
        let sheet = ContactSheet(
            [[1, 2, 3], [], [4]], SheetLayout(count: 3, level: Self.cell), background: Self.red)
        let bytes = sheet.bytes
        #expect(ContactSheet(bytes: bytes) == sheet)
        for count in 0..<bytes.count {
            #expect(ContactSheet(bytes: Array(bytes.prefix(count))) == nil)
        }
        #expect(ContactSheet(bytes: bytes + [0]) == nil)
        // A count of tiles that nothing could hold.
        var lying = bytes
        for index in 11..<15 { lying[index] = 255 }
        #expect(ContactSheet(bytes: lying) == nil)
    }

    @Test func `a sheet without pictures is background`() async throws {
        let found = try await sheet([], SheetLayout(count: 0, level: Self.cell))
        #expect(found.size == PixelSize(width: 44, height: 64))
        #expect(near(found.rgba(20, 30), [0, 255, 0]))
    }
}

@Suite(.timeLimit(.minutes(1))) struct SheetLayoutTests {
    private static let poster = Level(name: "s", width: 160, height: 240)

    @Test(arguments: [
        (0, 1, 1), (1, 1, 1), (2, 2, 1), (3, 2, 2), (4, 2, 2), (6, 3, 2), (24, 6, 4),
        (240, 19, 13), (250, 20, 13),
    ])
    func `a sheet takes the smallest square`(
        count: Int, columns: Int, rows: Int
    ) {
        let layout = SheetLayout(count: count, level: Self.poster)
        #expect((layout.columns, layout.rows) == (columns, rows))
        #expect(layout.width == columns * 160 + (columns + 1) * 10)
        #expect(layout.height == rows * 240 + (rows + 1) * 10)
    }

    @Test(arguments: Level.defaults) func `a sheet's layout has room forevery picture`(level: Level)
    {
        for count in 1...300 {
            let layout = SheetLayout(count: count, level: level)
            #expect(layout.columns * layout.rows >= count)
            #expect(layout.columns * (layout.rows - 1) < count)
            let last = layout.frame(count - 1, width: level.width, height: level.height)
            #expect(last.x + last.width + layout.gutter <= layout.width)
            #expect(last.y + last.height + layout.gutter <= layout.height)
        }
    }

    @Test func `a picture lies in the middle of its cell`() {
        let layout = SheetLayout(count: 4, level: Self.poster)
        #expect((layout.columns, layout.gutter) == (2, 10))
        #expect(
            layout.frame(0, width: 160, height: 240)
                == .init(x: 10, y: 10, width: 160, height: 240))
        #expect(
            layout.frame(3, width: 101, height: 40)
                == .init(x: 180 + 29, y: 260 + 100, width: 101, height: 40))
    }

    @Test func `pixels and sides of a contact sheet are limited`() {
        var policy = SheetPolicy()
        let layout = SheetLayout(count: 4, level: Self.poster)
        policy.maxPixels = layout.pixels
        #expect(policy.allows(layout))
        policy.maxPixels -= 1
        #expect(!policy.allows(layout))
        policy.maxPixels = .max
        let long = SheetLayout(count: 1, level: Level(name: "w", width: 16_383, height: 1))
        #expect(!policy.allows(long))
    }
}
