import Foundation

/// In one unbuffered call, so that a line is out before a crash.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

func complain(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
}
