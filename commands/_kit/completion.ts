import type { Program } from "./main.ts";
export function complete(
  _program: Program,
  _words: readonly string[],
): Promise<string> {
  return Promise.resolve("");
}
