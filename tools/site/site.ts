/** Builds the static site from the pages in `docs/`, with VitePress from npm: search, dark mode, code blocks to copy. */

import { extname } from "node:path";
import { UsageError } from "../../errors.ts";
import { runTool } from "../run_tool.ts";

const root = new URL("../../", import.meta.url);

/** Pages beside `docs/`. */
const topPages = [
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "README.md",
  "SECURITY.md",
];

/** An entry of the navigation; `link` is absent for a group. */
export interface SidebarItem {
  readonly text: string;
  readonly link?: string;
  readonly collapsed?: boolean;
  readonly items?: readonly SidebarItem[];
}

/** Path of a page in the site: `README.md` is the index of its folder. */
export function toSitePath(path: string): string {
  return path.replace(/(^|\/)README\.md$/, "$1index.md");
}

/**
 * Text of a page as it is in the site: with the links there, recipes on one page, and without the comment of a
 * generated page, which would be shown.
 */
export function toSiteText(text: string): string {
  return text.replace(/^<!--.*-->\n+/, "").replaceAll(
    /(\]\((?!\w+:)[^)\s]*?)README\.md(?=[)#])/g,
    "$1index.md",
  ).replaceAll(
    /(\]\(cookbook\/)([\w.-]+\.(?:yaml|ts))\)/g,
    (_, start, name) => `${start}index.md#${name.replaceAll(".", "")})`,
  ).replaceAll("](LICENSE)", "](https://www.apache.org/licenses/LICENSE-2.0)");
}

/**
 * Reads the navigation from the list of all pages: its headings, and the links in its tables.
 *
 * @param text Text of `docs/README.md`.
 */
export function parseSidebar(text: string): readonly SidebarItem[] {
  return text.split(/^## /m).slice(1).map((section) => {
    const [heading = ""] = section.split("\n");
    const links = section.matchAll(/^\| \[([^\]]+)\]\(([^)]+)\)/gm);
    const items = [...links].map(([, label = "", link = ""]) => ({
      text: label,
      link: new URL(toSitePath(link), "file:///docs/").pathname
        .replace(/(index)?\.md$/, ""),
    }));
    return { text: heading, collapsed: false, items };
  });
}

/** Writes the pages as VitePress reads them, and what it is configured with. */
async function writeSources(folder: string): Promise<void> {
  const write = async (path: string) => {
    const source = new URL(path, root);
    const target = `${folder}/src/${toSitePath(path)}`;
    await Deno.mkdir(target.replace(/\/[^/]*$/, ""), { recursive: true });
    if (extname(path) !== ".md") {
      // Beside the pages for images, and as a file for links.
      const file = `${folder}/src/public/${path}`;
      await Deno.mkdir(file.replace(/\/[^/]*$/, ""), { recursive: true });
      await Deno.copyFile(source, file);
      return await Deno.copyFile(source, target);
    }
    await Deno.writeTextFile(
      target,
      toSiteText(await Deno.readTextFile(source)),
    );
  };
  // The recipes are files to copy; in the site, they are on a page.
  const writeRecipes = async (path: string) => {
    const names = await Array.fromAsync(Deno.readDir(new URL(path, root)));
    const blocks = await Promise.all(
      names.map(({ name }) => name).toSorted().map(async (name) => {
        const text = await Deno.readTextFile(new URL(path + name, root));
        const language = name.endsWith(".ts") ? "ts" : "yaml";
        return `## ${name}\n\n\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n`;
      }),
    );
    await Deno.mkdir(`${folder}/src/${path}`, { recursive: true });
    await Deno.writeTextFile(
      `${folder}/src/${path}index.md`,
      `# Recipes\n\n${blocks.join("\n")}`,
    );
  };
  const writeFolder = async (path: string): Promise<void> => {
    for await (
      const { name, isDirectory } of Deno.readDir(new URL(path, root))
    ) {
      if (path === "docs/" && name === "man") continue;
      if (name === "cookbook") await writeRecipes(`${path}${name}/`);
      else if (isDirectory) await writeFolder(`${path}${name}/`);
      else await write(path + name);
    }
  };
  await writeFolder("docs/");
  await Promise.all(topPages.map(write));
  const contents = await Deno.readTextFile(new URL("docs/README.md", root));
  await Deno.mkdir(`${folder}/.vitepress`, { recursive: true });
  const sidebar = JSON.stringify(parseSidebar(contents));
  await Deno.writeTextFile(
    `${folder}/.vitepress/config.ts`,
    `import { vitepress as base } from "./vitepress.ts";
export default { ...base, themeConfig: { ...base.themeConfig, sidebar: ${sidebar} } };
`,
  );
  // Under these names, npm and VitePress would take them for those of the project.
  const names = {
    "vitepress.ts": ".vitepress/vitepress.ts",
    "npm_package.json": "package.json",
    "npm_lock.json": "package-lock.json",
  };
  for (const [from, to] of Object.entries(names)) {
    const source = new URL(from, import.meta.url);
    await Deno.copyFile(source, `${folder}/${to}`);
  }
}

/**
 * Finds links that lead nowhere.
 *
 * @param pages HTML by path, such as `/docs/faq.html`; empty for other files.
 * @returns One line for each, naming page and link.
 */
export function findDeadLinks(pages: ReadonlyMap<string, string>): string[] {
  const ids = new Map(
    [...pages].map(([path, html]) => [
      path,
      new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)),
    ]),
  );
  return [...pages].flatMap(([path, html]) =>
    [...html.matchAll(/<a [^>]*?href="([^"]+)"/g)].flatMap(([, link = ""]) => {
      if (/^\w+:/.test(link)) return [];
      const { pathname, hash } = new URL(link, `http://site${path}`);
      const target = pathname.endsWith("/")
        ? `${pathname}index.html`
        : pathname;
      const found = ids.get(target);
      const anchor = decodeURIComponent(hash.slice(1));
      const isThere = found !== undefined &&
        (anchor === "" || found.has(anchor));
      return isThere ? [] : [`${path}: ${link}`];
    })
  );
}

/** All files of the site, by path. */
async function readPages(
  folder: string,
  path = "/",
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const { name, isDirectory } of Deno.readDir(folder + path)) {
    if (isDirectory) {
      for (const one of await readPages(folder, `${path}${name}/`)) {
        found.set(...one);
      }
    } else {
      const isPage = name.endsWith(".html") && name !== "404.html";
      const text = isPage ? await Deno.readTextFile(folder + path + name) : "";
      found.set(path + name, text);
    }
  }
  return found;
}

async function run(cwd: string, ...args: readonly string[]): Promise<void> {
  const { success } = await new Deno.Command("npm", { args: [...args], cwd })
    .spawn().status;
  if (!success) throw new Error(`Cannot run npm ${args.join(" ")} in ${cwd}`);
}

async function print(line: string): Promise<void> {
  await Deno.stdout.write(new TextEncoder().encode(`${line}\n`));
}

const usage = "deno task site; writes dist/site/out, a site of all pages";

if (import.meta.main) {
  await runTool(usage, async () => {
    const [given] = Deno.args;
    if (given === "--help") {
      await print(`Usage: ${usage}`);
      return { hasProblems: false };
    }
    if (given !== undefined) {
      throw new UsageError(`Unknown argument "${given}"`);
    }
    const folder = new URL("dist/site", root).pathname;
    await Deno.remove(`${folder}/src`, { recursive: true }).catch(() => {});
    await writeSources(folder);
    const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
    await run(folder, "ci", "--ignore-scripts", ...quiet);
    await run(folder, "exec", "--offline", "--", "vitepress", "build", ".");
    const dead = findDeadLinks(await readPages(`${folder}/out`));
    if (dead.length > 0) throw new Error(`Dead links:\n${dead.join("\n")}`);
    await print("Look at it with: python3 -m http.server -d dist/site/out");
    return { hasProblems: false };
  });
}
