/** Configuration of VitePress; site.ts adds the sidebar. */

/** The part of its Markdown renderer that is used. */
interface Renderer {
  render: (text: string, env: unknown) => string;
}

export const vitepress = {
  title: "osctl",
  description: "Client and runbook runner for Kubernetes nodes",
  srcDir: "./src",
  outDir: "./out",
  markdown: {
    html: false,
    // As on GitHub, so that links to headings work in both.
    anchor: {
      slugify: (title: string) =>
        title.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "")
          .replaceAll(" ", "-"),
    },
    languageAlias: { cel: "js" },
    config(markdown: Renderer) {
      const render = markdown.render.bind(markdown);
      // Pages are text: "{{" in them is no expression of Vue.
      markdown.render = (text, env) =>
        `<div v-pre>\n${render(text, env)}\n</div>`;
    },
  },
  vite: { build: { chunkSizeWarningLimit: 5_000 } },
  themeConfig: {
    outline: [2, 3],
    search: { provider: "local" },
    nav: [
      { text: "Start", link: "/docs/first-cluster" },
      { text: "Runbooks", link: "/docs/runbooks/" },
      { text: "Commands", link: "/docs/reference/" },
      { text: "All pages", link: "/docs/" },
      { text: "Changelog", link: "/CHANGELOG" },
    ],
  },
};
