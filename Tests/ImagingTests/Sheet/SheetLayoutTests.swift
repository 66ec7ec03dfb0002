import Testing

@testable import Imaging

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
