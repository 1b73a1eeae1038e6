// Says why the page does not start, or why it has ended. The first script of the page: a connection may lose any other.
(() => {
  const wanted = new URLSearchParams(location.search).get("lang") ?? navigator.language;
  const isChinese = wanted.startsWith("zh");
  const words = isChinese
    ? {
        policy: "Berth 无法在这里运行：服务器的 Content-Security-Policy 拒绝 WebAssembly。请在 script-src 中允许 'wasm-unsafe-eval'。",
        missing: "Berth 的一部分无法获取。请检查网络连接，然后重新加载。",
        refused: (why) => `Berth 无法在这里运行：${why}`,
        ended: (why) => `Berth 已停止运行（${why}）。重新加载后会恢复停止之前的内容。`,
        reload: "重新加载",
      }
    : {
        policy: "Berth cannot run here: the server's Content-Security-Policy refuses WebAssembly. Allow 'wasm-unsafe-eval' in script-src.",
        missing: "A part of Berth could not be fetched. Check the connection, then reload.",
        refused: (why) => `Berth cannot run here: ${why}`,
        ended: (why) => `Berth has stopped (${why}). Reloading restores what you did before.`,
        reload: "Reload",
      };
  let isSaid = false;

  const element = (name, more, ...children) => {
    const made = Object.assign(document.createElement(name), more);
    made.append(...children);
    return made;
  };

  const isShown = () => document.getElementById("app")?.hasChildNodes();

  function say(sentence) {
    if (isSaid) return;
    isSaid = true;
    const isStarted = isShown();
    const reload = element("button", { className: "btn", onclick: () => location.reload() }, words.reload);
    const shown = element("p", { lang: isChinese ? "zh-CN" : "en", role: "alert", className: isStarted ? "toast" : "" }, sentence, " ", reload);
    shown.dataset.fault = "";
    shown.style.margin = "1rem";
    if (isStarted) document.body.append(element("div", { className: "over" }, shown));
    else {
      document.getElementById("picture")?.remove();
      document.getElementById("app").replaceChildren(shown);
    }
    document.getElementById("late")?.remove();
    if (!isStarted && parent !== self) parent.postMessage({ berth: 1, missing: sentence }, "*");
  }

  const isTrap = (error) => error instanceof WebAssembly.RuntimeError || error?.isFatal || /call stack/.test(error?.message);

  function hear(error) {
    const why = String(error?.message ?? error);
    if (isShown()) isTrap(error) && say(words.ended(why));
    else if (/\bCSP\b|Content Security Policy|unsafe-eval/i.test(why)) say(words.policy);
    else if (/fetch|load|import|network/i.test(why)) say(words.missing);
    else say(words.refused(why));
  }

  // The page awaits its program, and a module that is not there has no error of its own.
  self.berthFault = hear;
  addEventListener("error", ({ target, error }) => {
    if (target === self) hear(error);
    else if (target.localName === "script" && !isShown()) say(words.missing);
  }, true);
  addEventListener("unhandledrejection", ({ reason }) => hear(reason));
})();
