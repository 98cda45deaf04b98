import { evaluateProgram } from "./evaluate.ts";
import type { BuiltDocument } from "./sandbox.ts";
import { checkTrust, type TrustPlaces } from "./trust.ts";

/**
 * Builds the document of a trusted program.
 *
 * @param name Path of the program, as typed.
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
  return await evaluateProgram(name, text);
}
