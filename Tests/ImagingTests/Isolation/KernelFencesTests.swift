import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct KernelFencesTests {
    @Test(
        arguments: [
            (true, true, []), (false, true, ["no Landlock"]), (true, false, ["no seccomp"]),
            (false, false, ["neither Landlock nor seccomp"]),
        ] as [(Bool, Bool, [String])])
    func `missing kernel features are named in the warning`(
        hasLandlock: Bool, hasSeccomp: Bool, words: [String]
    ) {
        let shortcoming = IsolationPolicy.shortcoming(
            hasLandlock: hasLandlock, hasSeccomp: hasSeccomp)
        #expect((shortcoming == nil) == words.isEmpty)
        for word in words { #expect(shortcoming?.contains(word) == true) }
    }
}
