/// The part of the page's script that shows an inspection, and what starts everything.
enum PageInspectorScript {
  static let text = #"""
    // The inspector
    async function inspect(event) {
      event.preventDefault();
      const query = "src=" + encodeURIComponent(at("source").value.trim()) +
        (at("fit").value === "contain" ? "&fit=contain" : "");
      const store = at("store").checked;
      at("go").disabled = true;
      at("result").setAttribute("aria-busy", "true");
      at("result").replaceChildren(make("p", "Looking…", "quiet"));
      try {
        const answer = await ask("v1/inspect?" + query, store ? "POST" : "GET");
        at("result").replaceChildren(...(answer.ok ? inspection(answer.told) : refusal(answer.told)));
      } catch (error) {
        if (error.message !== "401") at("result").replaceChildren(make("p", "The service was not reached.", "bad"));
      }
      at("result").setAttribute("aria-busy", "false");
      at("go").disabled = false;
    }
    function refusal(problem) {
      return [make("p", problem.title + " (" + problem.code + ").", "bad")];
    }
    function inspection(told) {
      const verdict = make("div", undefined, "verdict");
      if (told.avatar) {
        const face = make("img", undefined, "face");
        face.src = told.avatar;
        face.alt = "The finished avatar";
        verdict.append(face);
      } else {
        const face = make("div", "?", "face none");
        face.setAttribute("aria-hidden", "true");
        verdict.append(face);
      }
      verdict.append(make("p", told.summary, told.code ? "bad" : ""));
      const facts = make("dl", undefined, "facts");
      const add = (name, value, className) => {
        if (value === undefined || value === null || value === "") return;
        facts.append(make("dt", name), make("dd", value, className));
      };
      add("Source", told.source, "mono");
      add("Code", told.code, "mono");
      add("A request now", told.answerNow);
      if (told.sourceBytes !== undefined) {
        add("Sent", bytes(told.sourceBytes) + ", declared " + (told.declaredType || "nothing") +
          ", found " + (told.foundType || "nothing known"));
      }
      if (told.header) {
        add("Picture", told.header.width + " × " + told.header.height + (told.header.frames > 1 ? ", " +
          told.header.frames + " frames" : "") + ", orientation " + told.header.orientation);
      }
      if (told.image) {
        add("Colour", (told.image.usedProfile ? "embedded profile, converted" : "sRGB taken for granted") +
          (told.image.hasAlpha ? ", transparent" : ""));
        add("Avatar", told.image.side + " × " + told.image.side + ", " + bytes(told.image.bytes) + ", quality " +
          told.image.quality);
        add("Decoded in", time(told.image.decodeMilliseconds) + " after " + time(told.image.queuedMilliseconds) +
          " of waiting");
      }
      if (told.freshness && !told.code) add("Freshness", told.freshness.why);
      add("Identity rule", told.identityRule);
      add("Key", told.key, "mono");
      add("SHA-256", told.sha256, "mono");
      if (told.stored !== undefined) add("Stored", told.stored ? "yes" : "no");
      add("Took", time(told.elapsedMilliseconds));
      const steps = make("ol", undefined, "steps");
      for (const step of told.steps) {
        const line = make("li"), name = make("b", step.step), list = make("dl");
        name.append(make("small", time(step.atMilliseconds)));
        for (const [key, value] of Object.entries(step.facts)) list.append(make("dt", key), make("dd", value, "mono"));
        line.append(name, list);
        steps.append(line);
      }
      return [verdict, steps, facts];
    }

    // Begin
    at("inspect").addEventListener("submit", inspect);
    at("gate-form").addEventListener("submit", (event) => {
      event.preventDefault();
      token = at("token").value.trim();
      sessionStorage.setItem(STORED, token);
      say("gate-note", "");
      refresh();
    });
    at("forget").addEventListener("click", () => lock(""));
    document.addEventListener("visibilitychange", () => { if (!document.hidden && !at("content").hidden) refresh(); });
    if (document.documentElement.dataset.token === "required" && !token) { state("locked", "warm"); lock(""); }
    else refresh();

    """#
}
