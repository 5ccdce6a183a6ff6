import AvatarCore
import AvatarService
import AvatarWorkers
import Glibc

/// The program: reads its command line, runs the command, ends with its status.
@main
enum Main {
  static func main() {
    Signals.block()
    ProcessHeap.bound(arenas: 2)
    let invocation: Invocation
    do {
      invocation = try CommandLineParser.parse(Array(CommandLine.arguments.dropFirst()))
    } catch {
      exit(Console.finish(CommandResult(error)))
    }
    let (signals, feed) = AsyncStream.makeStream(of: Signals.Request.self)
    Task.detached { exit(await run(invocation, signals)) }
    Signals.wait(for: feed)
  }

  private static func run(_ invocation: Invocation, _ signals: AsyncStream<Signals.Request>) async -> Int32 {
    let environment = Environment.all
    switch invocation.command {
    case .version: return Console.finish(CommandResult(output: "\(Product.name) \(Product.version)\n"))
    case .help(let command): return Console.finish(CommandResult(output: HelpText.text(for: command)))
    case .check: return Console.finish(.check(invocation, environment: environment))
    case .serve, .warm, .url, .inspect, .cacheStat, .cacheVerify, .cacheList, .cachePurge, .health: break
    }
    let loaded: LoadedConfiguration
    do {
      loaded = try invocation.loadConfiguration(environment: environment)
    } catch {
      return Console.finish(CommandResult(error))
    }
    if case .serve = invocation.command {} else { endOnSignal(signals) }
    do {
      switch invocation.command {
      case .serve(let demo):
        return try await ServeCommand(invocation: invocation, environment: environment, isDemo: demo)
          .run(loaded, signals)
      case .warm(let list, let fit, let refresh):
        return try await WarmCommand(list: list, fit: fit, refresh: refresh).run(loaded)
      case .url(let sources, let fit): return try URLCommand(sources: sources, fit: fit).run(loaded.configuration)
      case .inspect(let sources, let fit, let json):
        return try await InspectCommand(sources: sources, fit: fit, isJSON: json).run(loaded)
      case .cacheStat: return try await CacheCommand(loaded).stat()
      case .cacheVerify: return try await CacheCommand(loaded).verify()
      case .cacheList: return try await CacheCommand(loaded).list()
      case .cachePurge(let selection, let soft): return try await CacheCommand(loaded).purge(selection, soft: soft)
      case .health: return HealthCommand.run(loaded.configuration)
      case .check, .version, .help: return 0
      }
    } catch {
      return Console.fail(error)
    }
  }

  /// A command that is not the service ends at once, as a shell expects it; the cache survives that at any moment.
  private static func endOnSignal(_ signals: AsyncStream<Signals.Request>) {
    Task.detached {
      for await _ in signals { exit(130) }
    }
  }
}
