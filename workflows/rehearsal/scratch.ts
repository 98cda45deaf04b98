/** Files of a rehearsal: none of the user's is written to. */

import type { Json } from "../operations/operation.ts";
import type { Runbook } from "../runbooks/runbook.ts";

/** A folder that is gone afterwards. */
export interface Scratch extends AsyncDisposable {
  /** Its path. */
  readonly folder: string;
}

/** Makes a folder. */
export async function withScratch(): Promise<Scratch> {
  const folder = await Deno.makeTempDir({ prefix: "osctl-rehearsal-" });
  return {
    folder,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** Values of inputs whose paths lead into a folder; files that are there are copied. */
export async function inScratch(
  runbook: Pick<Runbook, "inputs">,
  values: Readonly<Record<string, Json>>,
  folder: string,
): Promise<Readonly<Record<string, Json>>> {
  const changed: Record<string, Json> = {};
  for (const [name, { type }] of Object.entries(runbook.inputs)) {
    const value = values[name];
    if (type !== "path" || typeof value !== "string") continue;
    const own = `${folder}/inputs/${name}`;
    await Deno.mkdir(own, { recursive: true, mode: 0o700 });
    const path = `${own}/${value.split("/").at(-1)}`;
    await copied(value, path);
    changed[name] = path;
  }
  return { ...values, ...changed };
}

async function copied(from: string, to: string): Promise<void> {
  try {
    await Deno.copyFile(from, to);
  } catch (error) {
    // It is a file that is to be written.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
