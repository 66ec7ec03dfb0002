import Testing

@testable import Demo

@Suite(.timeLimit(.minutes(1))) struct TVMazePictureTests {
    @Test func `every name is read back from its path`() {
        for slot in TVMazePicture.Slot.allCases {
            for size in [TVMazePicture.Size.original, .portrait, .leaderboard] {
                let name = TVMazePicture(show: 312, slot: slot, size: size)
                #expect(TVMazePicture(path: name.path) == name)
            }
        }
    }

    @Test func `a folder holds 2,500 pictures`() {
        let name = TVMazePicture(show: 312, slot: .background, size: .original)
        #expect(
            name.url == "https://static.tvmaze.com/uploads/images/original_untouched/1/3122.jpg")
    }

    @Test(arguments: [
        "", "/", "/uploads/images/original_untouched/0/3122.jpg",
        "/uploads/images/original_untouched/1/3122.png", "/uploads/images/huge/1/3122.jpg",
        "/uploads/images/original_untouched/1/3129.jpg",
        "/uploads/images/original_untouched/1/03122.jpg",
        "/uploads/images/original_untouched/1/-3122.jpg", "/uploads/images/medium_portrait/1/",
        "/uploads/../uploads/images/medium_portrait/1/3122.jpg",
    ])
    func `no other path is a picture's`(path: String) {
        #expect(TVMazePicture(path: path) == nil)
    }
}
