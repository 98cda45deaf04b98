/** Reads patches given on the command line. */

import { type Patch, readPatch } from "../../config/patch.ts";
import { type Flag, stringArray } from "../_kit/mod.ts";
import { limitMib, readSource, type SourceContext } from "./source.ts";

/** Flag for patches; its values are read by {@linkcode readPatches}. */
export function patchFlag(
  summary: string,
  options: { readonly short?: string; readonly aliases?: readonly string[] } =
    {},
): Flag<readonly string[]> {
  return stringArray(summary, { ...options, complete: "files", dash: true });
}

/**
 * Reads patches. A value that begins with `@`, or is one word that begins with neither `[` nor `{`, names a file; any
 * other is the patch itself. Throws `ConfigError` if a file cannot be read, or is not a patch.
 */
export async function readPatches(
  values: readonly string[],
  context: SourceContext,
): Promise<readonly Patch[]> {
  const patches: Patch[] = [];
  // One at a time: two may be standard input, and errors are reported in order.
  for (const [index, value] of values.entries()) {
    const path = parsePath(value);
    const source = path === undefined
      ? { text: value, name: `patch ${index + 1}` }
      : await readSource(path, context, { limitMib, expected: "a patch" });
    patches.push(readPatch(source.text, source.name));
  }
  return patches;
}

function parsePath(value: string): string | undefined {
  if (value.startsWith("@")) return value.slice(1);
  return /^(?![[{])[^\n ]*$/.test(value) ? value : undefined;
}
