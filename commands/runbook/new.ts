import { exists } from "../../lib/files/exists.ts";
import { ConfigError, UsageError } from "../../errors.ts";
import { takenAmong, writeFilesAtomic } from "../../lib/files/file_set.ts";
import { runbookName } from "../../workflows/runbooks/language/names.ts";
import { type Command, lines, toggle, type Values, word } from "../_kit/mod.ts";
import { schemaText } from "../_runbook/load_options.ts";
import types from "../../workflows/runbooks/language/typescript/api.d.ts" with {
  type: "text",
};
import {
  schemaName,
  starter,
  typescriptStarter,
  typesName,
} from "./_starter.ts";

/** A written file. */
interface NewRow {
  readonly path: string;
}

const inputs = {
  name: word(
    "name, such as restart-gpu-nodes; may include a directory, such as ops/restart",
  ),
  typescript: toggle("write it in TypeScript, with the types for editors"),
};

export const command = {
  summary: "Create a runbook from a template",
  description:
    `Writes <name>.runbook.yaml, a small, valid runbook with comments, and next to it the JSON Schema for completion in
editors. Existing files are not changed.

With --typescript, writes <name>.runbook.ts and ${typesName}. A runbook in TypeScript is for steps that follow from
data; it has to be trusted with "osctl runbook trust".`,
  inputs,
  examples: [
    "runbook new restart-gpu-nodes",
    "runbook new restart-zones --typescript",
  ],
  view: lines(({ path }) => path),
  async *run({ input, commands }) {
    const { folder, name } = parts(input.name);
    const path = `${folder}${name}.runbook.${input.typescript ? "ts" : "yaml"}`;
    const [taken] = await takenAmong([path]);
    if (taken !== undefined) {
      throw new ConfigError(`Cannot write "${path}": it already exists`, {
        hint: "Choose another name, or remove the file",
      });
    }
    const beside = `${folder}${input.typescript ? typesName : schemaName}`;
    const files = [
      {
        path,
        content: input.typescript ? typescriptStarter(name) : starter(name),
      },
      ...(await exists(beside) ? [] : [{
        path: beside,
        content: input.typescript ? types : await schemaText(commands),
      }]),
    ];
    await writeFilesAtomic(files);
    yield* files.map(({ path }) => ({ path }));
  },
} satisfies Command<NewRow, Values<typeof inputs>>;

function parts(
  given: string,
): { readonly folder: string; readonly name: string } {
  const at = given.lastIndexOf("/") + 1;
  const name = given.slice(at).replace(/\.runbook\.(yaml|ts)$/, "");
  const node = { kind: "scalar", text: name, plain: false } as const;
  if (runbookName.fault(node) !== undefined) {
    throw new UsageError(`Cannot name a runbook "${name}"`, {
      hint: `Give ${runbookName.expected}`,
    });
  }
  return { folder: given.slice(0, at), name };
}
