import AvatarCore
import CCurl
import Glibc

/// What a look-up found.
enum LookupOutcome: Hashable, Sendable {
  /// Addresses in the order to try them, 1…`NameLookup.mostAddresses`.
  case found([IPAddress])
  /// No such name, or no answer; the resolver's own error number.
  case failed(Int32)

  /// Not one of the resolver's numbers: the system had no thread for the look-up.
  static var noThread: Int32 { .min }
}

/// Asks for the addresses of a name; blocks, so it is called on a thread of its own.
protocol NameLookup: Sendable {
  /// The addresses of `name`.
  func addresses(of name: String) -> LookupOutcome
}

extension NameLookup where Self == SystemLookup {
  /// The system's resolver, bounded so that a name server's silence ends a look-up soon after nobody waits for it any more.
  static func system(patience: Duration) -> SystemLookup { SystemLookup(patience: patience) }
}

/// The C library's resolver: hosts file, name servers, whatever `nsswitch.conf` says.
struct SystemLookup: NameLookup {
  /// More are not looked at: an answer may hold hundreds.
  static let mostAddresses = 16
  /// Questions to a name server before a look-up fails.
  private static let attempts: Int32 = 3

  private let secondsAnAttempt: Int32

  /// `patience` is how long callers wait: the second question goes out within it, the last ends after it.
  init(patience: Duration) {
    secondsAnAttempt = Int32(clamping: max(1, (patience.milliseconds + 1999) / 2000))
  }

  func addresses(of name: String) -> LookupOutcome {
    guard avatar_resolver_bound(Self.attempts, secondsAnAttempt) == 0 else { return .failed(EAI_SYSTEM) }
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)  // One entry an address, not one for each kind of socket.
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(name, nil, &hints, &list)
    guard code == 0 else { return .failed(code) }
    defer { freeaddrinfo(list) }

    var addresses: [IPAddress] = []
    var node = list
    while let entry = node?.pointee, addresses.count < Self.mostAddresses {
      if let socketAddress = entry.ai_addr, let address = IPAddress(socketAddress), !addresses.contains(address) {
        addresses.append(address)
      }
      node = entry.ai_next
    }
    return addresses.isEmpty ? .failed(EAI_NONAME) : .found(addresses)
  }
}
