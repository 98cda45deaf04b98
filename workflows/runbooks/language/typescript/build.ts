/** Runbooks in TypeScript become documents. */

import { ConfigError } from "../../../../errors.ts";
import { evaluateProgram } from "./evaluate.ts";
import { importsIn } from "./imports.ts";
import { checkTrust, type TrustPlaces } from "./trust.ts";

/**
 * Makes the document of a program that is trusted.
 *
 * @param name Path of the program, as it was typed.
 * @returns Document as JSON, for the loader.
 * @throws {RefusedError} If it is not trusted.
 * @throws {ConfigError} If it imports something, or cannot be called.
 */
export async function buildDocument(
  name: string,
  text: string,
  places: TrustPlaces,
): Promise<string> {
  await checkTrust(name, text, places);
  refuseImports(name, text);
  return await evaluateProgram(name, text);
}

/** Refuses a program with imports. Throws `ConfigError` if there is one; names its place. */
export function refuseImports(name: string, text: string): void {
  const [first] = importsIn(text);
  if (first === undefined) return;
  const { line, column, kind } = first;
  throw new ConfigError(
    `Cannot use "${name}": it has "${kind}" in line ${line}, column ${column}`,
    { hint: "Only import type is allowed; put everything into one file" },
  );
}
