// Waits for the next build of the book, then reloads the page or shows what is wrong.
(async () => {
  let version = VERSION;
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  for (;;) {
    // Browsers allow few connections to one host: only the page in view holds one.
    while (document.hidden) await pause(500);
    try {
      const answer = await fetch(`/~news?after=${version}`);
      const [now, ...problem] = (await answer.text()).split("\n");
      if (Number(now) === version) continue;
      version = Number(now);
      const text = problem.join("\n").trim();
      if (!text) return location.reload();
      document.getElementById("news")?.remove();
      const note = document.createElement("pre");
      note.id = "news";
      note.setAttribute("role", "alert");
      note.textContent = text;
      note.style.cssText =
        "position:fixed;inset:auto 0 0 0;margin:0;padding:1em;max-height:60vh;overflow:auto;z-index:999;" +
        "background:#fff;color:#900;border-top:3px solid #900;white-space:pre-wrap";
      document.body.append(note);
    } catch {
      await pause(1000);
    }
  }
})();
