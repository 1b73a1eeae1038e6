import berth from "berth-docs/markdown-it";

export default {
  title: "Berth in VitePress",
  head: [["script", { src: "https://berth.example/embed.js", async: "" }]],
  markdown: { config: (md) => md.use(berth) },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === "berth-playground" } } },
};
