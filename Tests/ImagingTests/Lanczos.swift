import Foundation

@testable import Imaging

/// Lanczos3 by its definition, in double precision.
enum Lanczos {
    /// Returns samples in another size, unclipped.
    static func resampled(
        _ samples: [Double], _ from: PixelSize, bands: Int, to size: PixelSize
    ) -> [Double] {
        let across = (0..<size.width).map { weights(from.width, size.width, $0) }
        let down = (0..<size.height).map { weights(from.height, size.height, $0) }
        let pitch = size.width * bands
        var narrow = [Double](repeating: 0, count: pitch * from.height)
        for row in 0..<from.height {
            for column in 0..<pitch {
                let (first, values) = across[column / bands]
                for (offset, weight) in values.enumerated() {
                    let at = (row * from.width + first + offset) * bands + column % bands
                    narrow[row * pitch + column] += weight * samples[at]
                }
            }
        }
        var result = [Double](repeating: 0, count: pitch * size.height)
        for row in 0..<size.height {
            let (first, values) = down[row]
            for (offset, weight) in values.enumerated() {
                for column in 0..<pitch {
                    result[row * pitch + column] +=
                        weight * narrow[(first + offset) * pitch + column]
                }
            }
        }
        return result
    }

    private static func weights(
        _ from: Int, _ to: Int, _ index: Int
    ) -> (first: Int, values: [Double]) {
        let scale = Double(from) / Double(to)
        let wide = max(scale, 1)
        let center = (Double(index) + 0.5) * scale
        let first = max(0, Int(center - 3 * wide))
        let end = min(from, Int(center + 3 * wide) + 1)
        let values = (first..<end).map { lanczos((Double($0) + 0.5 - center) / wide) }
        let sum = values.reduce(0, +)
        return (first, values.map { $0 / sum })
    }

    private static func lanczos(_ x: Double) -> Double {
        if x == 0 { return 1 }
        if abs(x) >= 3 { return 0 }
        let angle = Double.pi * x
        return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
    }
}
