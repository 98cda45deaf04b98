/** Patches and configurations as they are given on the command line. */

import { type Patch, readPatch } from "../../config/patch.ts";
import type { Context } from "./command.ts";
import { stringArray } from "./inputs.ts";
import type { Flag } from "./inputs.ts";
import { readSource, type SourceText } from "./source_text.ts";

const limitMib = 16;

/** Flag for patches; its values are read by {@linkcode readPatches}. */
export function patchFlag(
  summary: string,
  options: { readonly short?: string; readonly aliases?: readonly string[] } =
    {},
): Flag<readonly string[]> {
  return stringArray(summary, { ...options, complete: "files" });
}

/**
 * Reads patches. A value that begins with `@`, or is one word that begins with
 * neither `[` nor `{`, names a file; any other is the patch itself.
 *
 * @throws {ConfigError} If a file cannot be read, or a patch is none.
 */
export async function readPatches(
  values: readonly string[],
  context: Pick<Context<unknown>, "environment" | "signal">,
): Promise<readonly Patch[]> {
  const patches: Patch[] = [];
  // One after the other: two may be standard input, and mistakes are told in order.
  for (const [index, value] of values.entries()) {
    const path = pathOf(value);
    const source = path === undefined
      ? { text: value, name: `patch ${index + 1}` }
      : await readSource(path, context, { limitMib, expected: "a patch" });
    patches.push(readPatch(source.text, source.name));
  }
  return patches;
}

/**
 * Reads a machine configuration.
 *
 * @param path File, `-` for standard input.
 * @throws {ConfigError} If it cannot be read or is larger than 16 MiB.
 */
export function readConfiguration(
  path: string,
  context: Pick<Context<unknown>, "environment" | "signal">,
): Promise<SourceText> {
  const expected = "a machine configuration";
  return readSource(path, context, { limitMib, expected });
}

function pathOf(value: string): string | undefined {
  if (value.startsWith("@")) return value.slice(1);
  return /^(?![[{])[^\n ]*$/.test(value) ? value : undefined;
}
