import types from "../../workflows/runbooks/language/typescript/api.d.ts" with {
  type: "text",
};
import { type Command, textual } from "../_kit/mod.ts";

/** The type declarations. */
interface TypesRow {
  readonly types: string;
}

export const command: Command<TypesRow, Record<never, never>> = {
  summary: "Print the types for TypeScript runbooks",
  description:
    `Save them next to the runbook, and import them there with import type. A TypeScript runbook is a function that
returns a runbook; it is called when the runbook is loaded, in a sandbox without access to the machine. Trust it first
with "osctl runbook trust".`,
  output: "own",
  inputs: {},
  examples: ["runbook types > osctl-runbook.d.ts"],
  view: textual((row) => row.types),
  async *run() {
    yield { types };
  },
};
