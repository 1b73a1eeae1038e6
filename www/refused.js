// Loaded only if the program cannot start: says why in the page, and to the page that embeds it (www/embed.js). A host
// may have a stricter policy than the page's own.
const SENTENCES = {
  en: {
    policy: "Berth cannot run here: the server's Content-Security-Policy refuses WebAssembly. Allow 'wasm-unsafe-eval' in script-src.",
    other: (why) => `Berth cannot run here: ${why}`,
  },
  zh: {
    policy: "Berth 无法在这里运行：服务器的 Content-Security-Policy 拒绝 WebAssembly。请在 script-src 中允许 'wasm-unsafe-eval'。",
    other: (why) => `Berth 无法在这里运行：${why}`,
  },
};

export function say(error) {
  const why = String(error?.message ?? error);
  const isPolicy = /\bCSP\b|Content Security Policy|unsafe-eval/i.test(why);
  const wanted = new URLSearchParams(location.search).get("lang") ?? navigator.language;
  const { policy, other } = SENTENCES[wanted.startsWith("zh") ? "zh" : "en"];
  const sentence = isPolicy ? policy : other(why);
  const shown = document.createElement("p");
  shown.setAttribute("role", "alert");
  shown.style.margin = "1rem";
  shown.textContent = sentence;
  document.getElementById("app").replaceChildren(shown);
  if (parent !== self) parent.postMessage({ berth: 1, missing: sentence }, "*");
}
