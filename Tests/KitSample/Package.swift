// swift-tools-version: 6.2
import PackageDescription

/// An app that uses VitrineKit as docs/kit.md says. `make kit` builds it without the network and with an empty
/// cache: none of the server's packages may be needed.
let package = Package(
    name: "KitSample",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "vitrine", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "grid", dependencies: [.product(name: "VitrineKit", package: "vitrine")]),
        // config/signing/sign.swift
        .executableTarget(
            name: "sign", dependencies: [.product(name: "VitrineKit", package: "vitrine")]),
    ])
