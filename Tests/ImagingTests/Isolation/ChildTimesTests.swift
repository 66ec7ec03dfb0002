import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct ChildTimesTests {
    /// Clocks of processes, which a test sets.
    private final class Clocks: Sendable {
        let times = Mutex<[Int32: Int64]>([:])

        func set(_ process: Int32, _ time: Int64?) { times.withLock { $0[process] = time } }
    }

    @Test func `living and ended processes count once`() {
        let clocks = Clocks()
        let times = ChildTimes { process in clocks.times.withLock { $0[process] ?? -1 } }
        times.begin(1)
        times.begin(2)
        #expect(times.total == .zero)
        clocks.set(1, 30)
        clocks.set(2, 500)
        #expect(times.total == .nanoseconds(530))
        // Its end says more than its clock did.
        clocks.set(1, nil)
        times.end(1, time: 40)
        #expect(times.total == .nanoseconds(540))
        times.end(1, time: 40)
        #expect(times.total == .nanoseconds(540))
    }

    @Test func `a process whose end is not reported counts as last seen`() {
        let clocks = Clocks()
        let times = ChildTimes { process in clocks.times.withLock { $0[process] ?? -1 } }
        times.begin(7)
        clocks.set(7, 90)
        times.look(7)
        clocks.set(7, nil)
        #expect(times.total == .nanoseconds(90))
        times.end(7)
        #expect(times.total == .nanoseconds(90))
        // Its number is another's by now.
        clocks.set(7, 1_000)
        times.look(7)
        #expect(times.total == .nanoseconds(90))
    }

    @Test func `a renderer counts what its children take, while they live and afterwards`()
        async throws
    {
        let renderer = try Renderer(.isolated(.child()))
        let level = Level(name: "s", width: 40, height: 40)
        let png = FixtureImages.png(width: 50, height: 60, .rgba) { x, y, _ in x * y }
        _ = try await renderer.render(png, [Rendition(level: level, format: .webp)])
        let children = renderer.children.idle
        #expect(children.count == 1)
        func clock() -> Double {
            children.reduce(0) { sum, child in
                var (clock, time) = (clockid_t(), timespec())
                guard clock_getcpuclockid(child, &clock) == 0, clock_gettime(clock, &time) == 0
                else { return sum }
                return sum + Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
            }
        }
        let living = clock()
        #expect(living > 0)
        // Loading the libraries takes the process that starts the child longer than the picture.
        let before = renderer.childSeconds
        #expect(before > living)
        await renderer.shutdown()
        #expect(clock() == 0)
        #expect(renderer.childSeconds >= before)
        // Their ends have what the kernel says, and nothing counts twice.
        #expect(renderer.childSeconds < before * 2)
    }
}
