/** Pages that people write: blocks, and the command lines in them. */

const root = new URL("../../", import.meta.url);

/** A page, by its path in the repository. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** A fenced block of a page. */
export interface Block {
  /** `sh` for lines to type, `text` for what they print. */
  readonly language: string;
  /** Its text, without the indentation of a list. */
  readonly text: string;
  readonly at: number;
}

/** Reads all pages but the reference, which is written from the commands themselves. */
export async function readPages(): Promise<readonly Page[]> {
  const paths = ["README.md", "SECURITY.md", "CONTRIBUTING.md"];
  const readFolder = async (folder: string) => {
    for await (const entry of Deno.readDir(new URL(folder, root))) {
      if (entry.name === "reference") continue;
      if (entry.isDirectory) await readFolder(`${folder}${entry.name}/`);
      else if (entry.name.endsWith(".md")) paths.push(folder + entry.name);
    }
  };
  await readFolder("docs/");
  return await Promise.all(paths.toSorted().map(readPage));
}

/** Reads a page by its path in the repository. */
export async function readPage(path: string): Promise<Page> {
  return { path, text: await Deno.readTextFile(new URL(path, root)) };
}

const fence = /^( *)```(\w*)\n([^]*?)^\1```$/gm;

/** Blocks of a page, in order. */
export function findBlocks({ text }: Page): readonly Block[] {
  return [...text.matchAll(fence)].map((
    { index, 1: indent = "", 2: language = "", 3: block = "" },
  ) => ({
    language,
    text: block.replaceAll(RegExp(`^${indent}`, "gm"), ""),
    at: index,
  }));
}

/** Command lines of a block: what is continued is joined, comments that stand alone are left out. */
export function splitLines(block: string): readonly string[] {
  return block.replaceAll(/\\\n/g, " ")
    .replaceAll(/'[^']*'/g, (quoted) => quoted.replaceAll("\n", " "))
    .split("\n").filter((line) => line.trim() !== "" && !/^#/.test(line));
}

/** Command lines that the prose of a page names, where they are. */
export function findSpans(
  { text }: Page,
): readonly { readonly line: string; readonly at: number }[] {
  // As long as before, so that places stay.
  const prose = text.replaceAll(fence, (block) => " ".repeat(block.length));
  return [...prose.matchAll(/`(osctl [^`]+)`/g)].map((
    { index, 1: line = "" },
  ) => ({ line: line.replaceAll(/\s+/g, " "), at: index }));
}

/** A line of a block that runs osctl. */
export const isOsctl =
  /^(?:\$ |sudo |deno task )?osctl |^\w+=\S* osctl |=\$\(osctl |^source <\(osctl /;
