import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct MemoryTests {
    /// In a separate process, because memory of other tests would count.
    @Test(.enabled(if: Slow.isOn), .disabled(if: Sanitizer.isAtWork))
    func `memory stays flat over a thousand pictures`() async throws {
        let soak = try ChildProgram(ChildPrograms.helper, ["fuzz", "--soak", "1000"])
        #expect(await soak.status() == 0)
    }
}
