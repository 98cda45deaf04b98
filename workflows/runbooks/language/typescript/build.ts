/** Runbooks in TypeScript become documents. */

import { ProgramError } from "../problem.ts";
import { evaluateProgram } from "./evaluate.ts";
import { importsIn } from "./imports.ts";
import type { BuiltDocument } from "./sandbox.ts";
import { checkTrust, type TrustPlaces } from "./trust.ts";

/**
 * Makes the document of a program that is trusted.
 *
 * @param name Path of the program, as it was typed.
 * @returns Document as JSON, and the calls that made it, for the loader.
 * @throws {RefusedError} If it is not trusted.
 * @throws {ProgramError} If it imports something, or cannot be called.
 */
export async function buildDocument(
  name: string,
  text: string,
  places: TrustPlaces,
): Promise<BuiltDocument> {
  await checkTrust(name, text, places);
  refuseImports(name, text);
  return await evaluateProgram(name, text);
}

/** Refuses a program with imports. Throws `ProgramError` if there is one; names its place. */
export function refuseImports(name: string, text: string): void {
  const [first] = importsIn(text);
  if (first === undefined) return;
  const { line, column, kind } = first;
  throw new ProgramError(
    name,
    `it has "${kind}" in line ${line}, column ${column}`,
    {
      at: { line, column },
      hint: "Only import type is allowed; put everything into one file",
    },
  );
}
