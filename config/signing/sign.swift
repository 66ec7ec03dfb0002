// Prints the signed path of a picture at any URL: sign LEVEL URL [EXPIRES], with the key in VITRINE_URL_KEYS.
// docs/signing.md explains each step, docs/kit.md how your package gets VitrineKit.
import Foundation
import VitrineKit

// The first key signs.
let keys = ProcessInfo.processInfo.environment["VITRINE_URL_KEYS"] ?? ""
let signer = URLSigner(key: String(keys.prefix { $0 != "," && !$0.isNewline }))
let words = CommandLine.arguments
let expires = words.count > 3 ? TimeInterval(words[3]).map(Date.init(timeIntervalSince1970:)) : nil
print(try signer.path(for: words[2], level: words[1], expires: expires))
