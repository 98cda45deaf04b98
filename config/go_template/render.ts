/** Renders Go templates: the language of `text/template`, with functions of sprig and Helm. */

import { misread } from "../../lib/text/text_position.ts";
import { all } from "./function.ts";
import { functions } from "./functions.ts";
import { parseGoTemplate, type Template } from "./parse.ts";
import type { GoMap } from "./values.ts";

/** Options of {@linkcode renderGoTemplate}. */
interface GoTemplateOptions {
  /** Its name in messages. */
  readonly file: string;
  /** Value of an environment variable, for `env`. */
  readonly env: (name: string) => string | undefined;
}

/**
 * Renders a template. A missing key is an error.
 *
 * @param text The template.
 * @param root Its dot.
 * @throws {ConfigError} By line and column: what it does not parse, a function that does not exist, a missing key.
 */
export function renderGoTemplate(
  text: string,
  root: GoMap,
  { file, env }: GoTemplateOptions,
): string {
  const template: Template = {
    fail(at, fault, hint) {
      const before = text.slice(0, at).split("\n");
      const column = (before.at(-1) ?? "").length + 1;
      throw misread(file, { line: before.length, column }, fault, hint);
    },
    functions: {
      ...functions,
      env: all("string", (name) => env(name) ?? ""),
    },
    out: [],
    steps: 0,
  };
  parseGoTemplate(text, template)({
    dot: root,
    variables: new Map([["$", { value: root }]]),
  });
  return template.out.join("");
}
