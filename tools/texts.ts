/**
 * Writes all user-visible texts into one file for review: string literals of the product with a space in them, by file
 * and line.
 *
 * `deno task texts [FILE]`, default `dist/texts.md`.
 */

import { dirname } from "node:path";
import { sources } from "./sources.ts";

interface Text {
  readonly line: number;
  /** The literal; `…` replaces interpolations. */
  readonly text: string;
}

/** Comments, strings, templates without nested templates, and regular expressions, in order of appearance. */
const token =
  /\/\/[^\n]*|\/\*[^]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}`]|\{[^{}]*\}|`[^`]*`)*\})*`|(?<=[(,=:[!&|?{};\n]\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g;

/**
 * Finds the texts of a source.
 *
 * @param source TypeScript.
 */
export function findTexts(source: string): Text[] {
  const found: Text[] = [];
  for (const { 0: literal, index } of source.matchAll(token)) {
    if (!/^["'`]/.test(literal)) continue;
    const text = literal.slice(1, -1)
      .replace(/\$\{(?:[^{}`]|\{[^{}]*\}|`[^`]*`)*\}/g, "…")
      .replaceAll("\\n", " ").replaceAll(/\s+/g, " ").trim();
    if (!/\p{L}{2,}.* |^\p{Lu}\p{Ll}+$/u.test(text)) continue;
    found.push({ line: source.slice(0, index).split("\n").length, text });
  }
  return found;
}

if (import.meta.main) {
  const root = new URL("../", import.meta.url);
  const [path = new URL("dist/texts.md", root).pathname] = Deno.args;
  const pages = (await sources(root))
    .filter(({ path }) => !path.startsWith("tools/"))
    .flatMap(({ path, text }) => {
      const texts = findTexts(text);
      const lines = texts.map(({ line, text }) => `${line}: ${text}`);
      return texts.length === 0 ? [] : [`## ${path}\n\n${lines.join("\n")}\n`];
    });
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, pages.join("\n"));
}
