package import Catalog
import Imaging
import Store

/// How one item of a warm run ended.
package struct WarmedItem: Sendable {
    package enum Ending: Sendable, Equatable {
        case picture
        /// Not the first choice.
        case fallback(reason: String)
        case placeholder(reason: String)
        case failed(reason: String)

        /// Why it isn't the first choice; nil if it is.
        package var reason: String? {
            switch self {
            case .picture: nil
            case .fallback(let reason), .placeholder(let reason), .failed(let reason): reason
            }
        }

        /// Whether its thumbnails are stored.
        package var isPicture: Bool {
            switch self {
            case .picture, .fallback: true
            case .placeholder, .failed: false
            }
        }

        /// `picture`, `fallback`, `placeholder` or `failed`.
        package var name: String {
            switch self {
            case .picture: "picture"
            case .fallback: "fallback"
            case .placeholder: "placeholder"
            case .failed: "failed"
            }
        }
    }

    package var item: Item
    /// Position in the list, from 0, without repeated items.
    package var number: Int
    package var ending: Ending
    /// The stored picture, if the request asked for it and there is one.
    package var stored: WarmedPicture?

    package init(
        item: Item, number: Int = 0, ending: Ending, stored: WarmedPicture? = nil
    ) {
        self.item = item
        self.number = number
        self.ending = ending
        self.stored = stored
    }
}
