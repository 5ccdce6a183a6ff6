#if canImport(ObjectiveC)
  import Foundation

  /// `SharedStorage` for React Native. `SharedStorageModule.m` declares it, `SharedStorage.js` wraps it.
  @objc(SharedStorageModule)
  final class SharedStorageModule: NSObject {
    @objc static func requiresMainQueueSetup() -> Bool { false }

    @objc(save:tenant:token:resolve:reject:)
    func save(
      _ baseURL: String, tenant: String, token: String, resolve: @escaping (Any?) -> Void,
      reject: @escaping (String?, String?, (any Error)?) -> Void
    ) {
      guard let storage = SharedStorage() else {
        reject("no_suite", "The App Group has no defaults.", nil)
        return
      }
      storage.save(SharedStorage.Credentials(baseURL: baseURL, tenant: tenant, token: token))
      resolve(nil)
    }

    /// Says whether credentials are there; the token stays on this side of the bridge.
    @objc(has:reject:)
    func has(_ resolve: @escaping (Any?) -> Void, reject: @escaping (String?, String?, (any Error)?) -> Void) {
      resolve(SharedStorage()?.read() != nil)
    }

    @objc(clear:reject:)
    func clear(_ resolve: @escaping (Any?) -> Void, reject: @escaping (String?, String?, (any Error)?) -> Void) {
      guard let storage = SharedStorage() else {
        reject("no_suite", "The App Group has no defaults.", nil)
        return
      }
      storage.clear()
      resolve(nil)
    }
  }
#endif
