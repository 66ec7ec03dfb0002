import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct KernelFencesTests {
    @Test(
        arguments: [
            ([.landlock, .seccomp], []), ([.seccomp], ["no Landlock"]),
            ([.landlock], ["no seccomp"]), ([], ["neither Landlock nor seccomp"]),
        ] as [(KernelFences, [String])])
    func `missing kernel features are named in the warning`(offered: KernelFences, words: [String])
    {
        #expect((offered.shortcoming == nil) == words.isEmpty)
        for word in words { #expect(offered.shortcoming?.contains(word) == true) }
    }
}
