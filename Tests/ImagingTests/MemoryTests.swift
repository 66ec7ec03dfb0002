import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct MemoryTests {
    /// In a process of its own: what other tests take would count here.
    @Test(.disabled(if: Sanitizer.isAtWork))
    func `stays flat over thousands of pictures`() async throws {
        let soak = try ChildProgram(ChildPrograms.fuzz, ["--soak", "2000"])
        #expect(await soak.status() == 0)
    }
}
