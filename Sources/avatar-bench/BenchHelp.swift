/// What `--help` prints.
enum BenchHelp {
  static let text = """
    avatar-bench: load with latency budgets for avatar-server, and for any other server

    Usage:
      avatar-bench [run] [SCENARIO…] [OPTION…]   play scenarios (all without a name) and hold them to their budgets
      avatar-bench load --target URL --urls FILE [OPTION…]   send requests to any server
      avatar-bench compare OLD.json NEW.json     what changed by more than the runs' own spread
      avatar-bench list                          scenarios and what each is about
      avatar-bench origin [OPTION…]              the origin that the scenarios use, until standard input ends
      avatar-bench fill [OPTION…]                a cache full of avatars; prints their signed paths

    run:
      --server PROGRAM    the program to measure (default: avatar-server beside this one)
      --seconds N         base length of one measurement (default 6)
      --rounds N          rounds of what is compared (default 3)
      --seed N            seed of pictures and of the order of requests (default 1)
      --scale N           size of the large caches: 1 is 100,000 hot avatars and 1,000,000 entries (default 1)
      --budgets FILE      (default benchmarks/budgets.json5)
      --nginx DIRECTORY   what nginx is started with, for 1024² misses to be held against (default benchmarks/nginx)
      --counts-only       only budgets that hold on any machine decide: for CI
      --json FILE         write the result
      --html FILE         write it as one page with charts
      --compare OLD.json  say what changed

    load:
      --target URL        http://ADDRESS:PORT
      --urls FILE         one path or URL a line, - for standard input
      --rate N            requests a second at a fixed rate, latency counted from when each was due;
                          without it as fast as answers come
      --connections N     (default 32)
      --seconds N         (default 10)
      --threads N         sending threads (default 1)
      --expect LIST       statuses of a right answer (default 200)
      --header LINE       a header field for every request
      --shuffle SEED      ask in random order, the same for the same seed
      --new-connections   a connection for each request
      --json FILE         write the result

    origin:
      --kinds LIST        kinds of pictures (default all)
      --seed N            (default 1)
      --port N            (default any free one, which is printed)
      --variations N      pictures of each kind (default 8)

    fill:
      --directory PATH    the cache's directory
      --avatar FILE       a finished JPEG; each avatar gets its bytes and a number
      --count N           (default 100000)
      --keys FILE         where to put the signing key

    Exit status: 0 all budgets met, 1 a budget broken (it is named) or requests failed, 2 usage,
    3 the run is not valid: the generator was the bottleneck, the machine too busy, or a scenario could not be played.

    """
}
