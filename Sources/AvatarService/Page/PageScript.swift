/// The page's script: asks for the numbers every two seconds while somebody looks, and runs the inspector.
enum PageScript {
  static let text = #"""

    "use strict";
    const at = (id) => document.getElementById(id);
    const PERIOD = 2000, STORED = "avatar-control-token";
    const rates = [];
    let token = sessionStorage.getItem(STORED) || "", timer = 0, asked = 0;

    function make(name, text, className) {
      const node = document.createElement(name);
      if (text !== undefined) node.textContent = text;
      if (className) node.className = className;
      return node;
    }
    function say(id, text) { if (at(id).textContent !== text) at(id).textContent = text; }

    // Numbers for people
    const digits = (value, places) => value.toLocaleString("en", { maximumFractionDigits: places });
    const rate = (value) => digits(value, value < 10 ? 1 : 0) + "/s";
    function bytes(value) {
      const units = ["B", "KiB", "MiB", "GiB", "TiB"];
      let unit = 0;
      while (value >= 1024 && unit < units.length - 1) { value /= 1024; unit += 1; }
      return digits(value, value < 10 && unit > 0 ? 1 : 0) + " " + units[unit];
    }
    function time(ms) {
      if (ms === undefined || ms === null) return "–";
      if (ms >= 1000) return digits(ms / 1000, 2) + " s";
      return digits(ms, ms < 10 ? 2 : 0) + " ms";
    }
    function span(seconds) {
      const parts = [["d", 86400], ["h", 3600], ["min", 60]];
      for (const [unit, size] of parts) if (seconds >= 2 * size) return Math.floor(seconds / size) + " " + unit;
      return Math.floor(seconds) + " s";
    }
    const share = (value) => value === undefined || value === null ? "–" : digits(value * 100, 1) + " %";

    // Asking
    async function ask(path, method) {
      const headers = {};
      if (token) headers.Authorization = "Bearer " + token;
      if (method === "POST") headers["Content-Type"] = "application/json";
      const options = { method: method || "GET", headers, cache: "no-store", credentials: "omit", redirect: "error" };
      if (method === "POST") options.body = "{}";
      const answer = await fetch(path, options);
      if (answer.status === 401) { lock(token ? "That token is not one of the service's." : ""); throw new Error("401"); }
      return { ok: answer.ok, status: answer.status, told: await answer.json() };
    }
    function lock(reason) {
      token = "";
      sessionStorage.removeItem(STORED);
      clearTimeout(timer);
      at("content").hidden = true;
      at("forget").hidden = true;
      at("gate").hidden = false;
      if (reason) { say("gate-note", reason); at("gate-note").className = "bad"; }
      at("token").value = "";
      at("token").focus();
    }

    // Numbers
    async function refresh() {
      const turn = ++asked;
      clearTimeout(timer);
      try {
        const [stats, ready] = await Promise.all([ask("v1/stats"), health()]);
        if (turn !== asked) return;
        if (!stats.ok) throw new Error(stats.told.title);
        show(stats.told, ready);
      } catch (error) {
        if (error.message === "401" || turn !== asked) return;
        state("not reached", "bad");
      }
      if (!document.hidden) timer = setTimeout(refresh, PERIOD);
    }
    async function health() {
      // Not ready is told with 503, which is an answer like any other here.
      const answer = await fetch("readyz", { cache: "no-store", credentials: "omit" });
      return answer.json();
    }
    function state(text, className) {
      say("state", text);
      at("state").className = "badge " + className;
    }
    function show(stats, ready) {
      at("gate").hidden = true;
      at("content").hidden = false;
      at("forget").hidden = !token;
      if (!ready.ready) state(ready.degraded.join("; ") || "not ready", "bad");
      else if (ready.degraded.length) state("ready; " + ready.degraded.join("; "), "warm");
      else state("ready", "good");
      say("about", stats.version + " · up " + span(stats.uptimeSeconds) + " · " + digits(stats.connections, 0) +
        (stats.connections === 1 ? " connection" : " connections"));
      const live = stats.live, latency = live.latency;
      say("span", "the last " + span(live.seconds));
      say("requests", rate(live.requestsPerSecond));
      chart(live.requestsPerSecond);
      say("ratio", share(live.hitRatio));
      say("ratio-all", share(stats.hitRatio) + " since the start");
      for (const use of ["hit", "miss"]) {
        const found = latency[use] || {};
        say(use, time(found.p50));
        say(use + "-more", "p90 " + time(found.p90) + "\np99 " + time(found.p99));
      }
      say("fetches", rate(live.fetchesPerSecond));
      say("fetches-more", stats.fetches.inFlight + " under way\n" + stats.fetches.queued + " waiting" +
        (stats.breakersOpen + stats.hostsThrottled ? "\n" + (stats.breakersOpen + stats.hostsThrottled) +
          " hosts left alone" : ""));
      const workers = stats.workers;
      say("workers", workers.busy + " of " + workers.up);
      const restarts = Object.values(workers.restarts).reduce((sum, count) => sum + count, 0);
      say("workers-more", workers.queued + " waiting\n" + restarts + " replaced");
      fill("memory", stats.memory);
      fill("disk", stats.disk, stats.diskWritable ? "" : " · takes no writes");
      rows("failures", stats.failures.map((line) => [
        [line.code, "mono"], [line.host, "mono"], [digits(line.count, 0), "number"],
        [line.originStatus || "–", "number"], [new Date(line.last).toLocaleTimeString(), "number"]]));
      at("failures").hidden = !stats.failures.length;
      at("no-failures").hidden = stats.failures.length > 0;
      rows("routes", Object.entries(stats.routes).sort((a, b) => b[1].requests - a[1].requests).map(([name, one]) => [
        [name], [digits(one.requests, 0), "number"],
        ...["p50", "p90", "p99"].map((key) => [time((one.latency || {})[key]), "number"])]));
    }
    function fill(id, tier, more) {
      const percent = tier.capacityBytes ? Math.min(100, tier.bytes / tier.capacityBytes * 100) : 0;
      at(id).querySelector("i").style.width = percent + "%";
      at(id).setAttribute("aria-valuenow", percent.toFixed(1));
      say(id + "-more", digits(tier.objects, 0) + (tier.objects === 1 ? " avatar, " : " avatars, ") + bytes(tier.bytes) +
        (tier.capacityBytes ? " of " + bytes(tier.capacityBytes) : "") + ", " + digits(tier.evictions, 0) + " evicted" +
        (more || ""));
    }
    function chart(value) {
      rates.push(value);
      if (rates.length > 60) rates.shift();
      const top = Math.max(1, ...rates);
      at("line").setAttribute("d", rates.map((one, index) =>
        (index ? "L" : "M") + (120 - (rates.length - 1 - index) * 120 / 59).toFixed(1) + " " + (27 - one / top * 26).toFixed(1)).join(""));
    }
    function rows(id, lines) {
      at(id).tBodies[0].replaceChildren(...lines.map((cells) => {
        const row = make("tr");
        for (const [text, className] of cells) row.append(make("td", text, className));
        return row;
      }));
    }

    """# + PageInspectorScript.text
}
