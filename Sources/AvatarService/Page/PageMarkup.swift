/// The page's body. The script fills in everything that has an id.
enum PageMarkup {
  static let body = """
    <body>
    <a class="skip" href="#main">Skip to the content</a>
    <header>
      <h1>avatar-server</h1>
      <p id="state" class="badge" role="status">…</p>
      <p id="about" class="quiet"></p>
      <button id="forget" type="button" class="plain" hidden>Forget the token</button>
    </header>
    <main id="main" tabindex="-1">
    <section id="gate" aria-labelledby="gate-title" hidden>
      <h2 id="gate-title">A token, please</h2>
      <form id="gate-form">
        <label for="token">Control token</label>
        <div class="row">
          <input id="token" type="password" autocomplete="off" spellcheck="false" required>
          <button type="submit">Open</button>
        </div>
        <p id="gate-note" class="quiet">It stays in this tab and goes nowhere but to this service.</p>
      </form>
    </section>
    <div id="content" hidden>
    <section aria-labelledby="now-title">
      <h2 id="now-title">Now <span id="span" class="quiet"></span></h2>
      <dl class="tiles">
        <div><dt>Requests</dt><dd id="requests">–</dd>
          <dd class="chart"><svg id="chart" viewBox="0 0 120 28" preserveAspectRatio="none" aria-hidden="true">
            <path id="line" d=""></path></svg></dd></div>
        <div><dt>From the cache</dt><dd id="ratio">–</dd><dd class="quiet" id="ratio-all"></dd></div>
        <div><dt>Hit latency</dt><dd id="hit">–</dd><dd class="quiet" id="hit-more"></dd></div>
        <div><dt>Miss latency</dt><dd id="miss">–</dd><dd class="quiet" id="miss-more"></dd></div>
        <div><dt>Fetches</dt><dd id="fetches">–</dd><dd class="quiet" id="fetches-more"></dd></div>
        <div><dt>Workers busy</dt><dd id="workers">–</dd><dd class="quiet" id="workers-more"></dd></div>
      </dl>
    </section>
    <section aria-labelledby="cache-title">
      <h2 id="cache-title">Cache</h2>
      <div class="fill"><span id="memory-label">Memory</span>
        <div class="bar" id="memory" role="meter" aria-labelledby="memory-label" aria-valuemin="0" aria-valuemax="100">
          <i></i></div><span class="quiet" id="memory-more"></span></div>
      <div class="fill"><span id="disk-label">Disk</span>
        <div class="bar" id="disk" role="meter" aria-labelledby="disk-label" aria-valuemin="0" aria-valuemax="100">
          <i></i></div><span class="quiet" id="disk-more"></span></div>
    </section>
    <section aria-labelledby="inspect-title">
      <h2 id="inspect-title">Inspect an avatar</h2>
      <form id="inspect">
        <label for="source">Source URL</label>
        <div class="row">
          <input id="source" type="url" inputmode="url" autocomplete="off" spellcheck="false" required
            placeholder="https://…/photo.jpg">
          <label for="fit" class="hidden">Fit</label>
          <select id="fit"><option value="cover">cover</option><option value="contain">contain</option></select>
          <button type="submit" id="go">Inspect</button>
        </div>
        <label class="check"><input id="store" type="checkbox"> store the result</label>
      </form>
      <div id="result" aria-live="polite" aria-busy="false"></div>
    </section>
    <section aria-labelledby="failures-title">
      <h2 id="failures-title">Recent failures</h2>
      <div class="scroll"><table id="failures">
        <thead><tr><th scope="col">Code</th><th scope="col">Host</th><th scope="col" class="number">Times</th>
          <th scope="col" class="number">Status there</th><th scope="col" class="number">Last</th></tr></thead>
        <tbody></tbody></table></div>
      <p id="no-failures" class="quiet" hidden>None since the start.</p>
    </section>
    <section aria-labelledby="routes-title">
      <h2 id="routes-title">Routes since the start</h2>
      <div class="scroll"><table id="routes">
        <thead><tr><th scope="col">Route</th><th scope="col" class="number">Requests</th>
          <th scope="col" class="number">p50</th><th scope="col" class="number">p90</th>
          <th scope="col" class="number">p99</th></tr></thead>
        <tbody></tbody></table></div>
    </section>
    </div>
    </main>
    <footer class="quiet"><a href="metrics">Metrics</a> · <a href="openapi.json">OpenAPI</a></footer>
    </body>
    """
}
