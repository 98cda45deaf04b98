import { parseContract } from "../config/generate/contract.ts";
import { legacyFlags } from "../talos.ts";
import { type Flag, text } from "./_kit/mod.ts";

/** `--os-version` of commands that take defaults from a release; the value is its minor version, `v1.12`. */
export function releaseFlag(description: string): Flag<string | undefined> {
  return {
    ...text(description, {
      aliases: [legacyFlags.osVersion],
      shown: "none, for the defaults of this client",
    }),
    parse: (value: string) => parseContract(value).version,
  };
}
