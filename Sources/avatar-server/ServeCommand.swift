import AvatarCore
import AvatarHTTP
import AvatarService
import AvatarWorkers
import Glibc
import Synchronization

/// `serve`: both sides up, signals obeyed, drained at the end.
struct ServeCommand {
  let invocation: Invocation
  let environment: [String: String]
  let isDemo: Bool

  func run(_ loaded: LoadedConfiguration, _ requests: AsyncStream<Signals.Request>) async throws(AvatarError) -> Int32 {
    let demo = isDemo ? try DemoOrigin() : nil
    let assembly = try await Assembly(loaded, extraAddresses: demo == nil ? [] : ["127.0.0.1/32"])
    for warning in loaded.warnings { assembly.log.log(.warning, "configuration", [("detail", .text(warning))]) }
    let service = try RunningService(assembly)
    service.announce(demo: demo)
    let workers = Task {
      do throws(AvatarError) {
        try await assembly.pool.start()
        service.workersAreUp()
      } catch {
        assembly.log.log(.error, "workers", [("detail", .text(error.detail))])
      }
    }
    var isStopping = false
    for await request in requests {
      switch request {
      case .reload: service.reload(invocation, environment: environment)
      case .stop where isStopping: exit(1)  // Asked twice: whoever asks wants it now.
      case .stop:
        isStopping = true
        workers.cancel()
        Task {
          await service.drain()
          demo?.close()
          await assembly.close()
          exit(0)
        }
      }
    }
    return 0
  }
}
