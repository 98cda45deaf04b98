import {
  diffDocuments,
  type DocumentChange,
  patchBetween,
} from "../../config/diff.ts";
import {
  type ConfigDocument,
  keptText,
  loadDocuments,
  type Loaded,
  mainKind,
} from "../../config/documents/load.ts";
import {
  requireConfiguration,
  requireDistinct,
} from "../../config/documents/require_configuration.ts";
import { ConfigError, DifferentError, UsageError } from "../../errors.ts";
import { readMachineConfiguration } from "../../transport/node/machine_configuration.ts";
import {
  type Command,
  type Context,
  optionalWord,
  textual,
  toggle,
  type Values,
  word,
} from "../_kit/mod.ts";
import { readConfiguration } from "../_configure/source.ts";

interface DiffRow extends DocumentChange {
  /** Node the file was compared with; absent for two files. */
  readonly node?: string;
}

/** Patch from one configuration to the other. */
interface PatchRow {
  /** Its node; absent for two files. */
  readonly node?: string;
  /** Strategic merge patch, YAML; empty if there are no differences. */
  readonly patch: string;
}

const inputs = {
  from: word("configuration file; - for standard input", {
    complete: "yaml",
    dash: true,
  }),
  to: optionalWord("configuration file to compare with", {
    complete: "yaml",
    dash: true,
  }),
  live: toggle("compare with the configuration of the selected nodes"),
  asPatch: toggle("show the patch that makes the change"),
  exitCode: toggle("exit with status 6 if there are differences"),
};

type DiffInputs = Values<typeof inputs>;

export const command = {
  summary: "Compare machine configurations",
  description:
    `Compares two files, or with --live a file with the configuration of the selected nodes, to show what the file would
change. Comments and key order are ignored. Only values known to be harmless are shown; all others are redacted, and
marked if they changed.

With --as-patch, prints the differences as a patch for "machineconfig patch", including secrets that changed. With
--exit-code, the status is 6 if there are differences.`,
  inputs,
  examples: [
    "machineconfig diff old.yaml new.yaml",
    "machineconfig diff controlplane.yaml --live --nodes @controlplane",
    "machineconfig diff old.yaml new.yaml --as-patch > change.yaml",
  ],
  view: textual(formatRow),
  discloses: ({ asPatch }) => asPatch,
  async *run(context) {
    const { input } = context;
    if (input.live === (input.to !== undefined)) {
      throw new UsageError(
        input.live
          ? "Flag --live cannot be used with a second configuration"
          : "A second configuration is missing",
        { hint: "Give a second file, or --live" },
      );
    }
    const from = await readDocuments(input.from, context);
    let different = false;
    for await (const [node, old, now] of pairs(from, context)) {
      const rows = listRows(old, now, input.asPatch);
      for (const row of rows) {
        different ||= !("patch" in row) || row.patch !== "";
        yield node === undefined ? row : { node, ...row };
      }
    }
    if (different && input.exitCode) {
      throw new DifferentError("The configurations differ");
    }
  },
} satisfies Command<DiffRow | PatchRow, DiffInputs>;

type Pair = readonly [
  node: string | undefined,
  from: readonly ConfigDocument[],
  to: readonly ConfigDocument[],
];

async function* pairs(
  from: readonly ConfigDocument[],
  context: Context<DiffInputs>,
): AsyncIterable<Pair> {
  const { input: { to }, nodes } = context;
  if (to !== undefined) {
    yield [undefined, from, await readDocuments(to, context)];
    return;
  }
  // Nodes only accept complete configurations; in a partial one, the rest would
  // appear as removed.
  if (!from.some(({ kind }) => kind === mainKind)) {
    throw new ConfigError(
      `Cannot compare "${context.input.from}": it has no document with "machine"`,
      { hint: "Give a whole configuration" },
    );
  }
  for await (const answer of nodes.call(readMachineConfiguration)) {
    const { node, value } = answer;
    const loaded = loadDocuments(value, node);
    requireDistinct(loaded, `the configuration of ${node}`);
    const live = noteKept(loaded, context);
    // The node has the old configuration, the file the new one.
    yield [node, live, from];
  }
}

async function readDocuments(
  path: string,
  context: Context<DiffInputs>,
): Promise<readonly ConfigDocument[]> {
  const { text, name } = await readConfiguration(path, context);
  const loaded = loadDocuments(text, name);
  requireConfiguration(loaded, name);
  return noteKept(loaded, context);
}

function noteKept(
  { documents, problems }: Loaded,
  { note }: Context<DiffInputs>,
): readonly ConfigDocument[] {
  for (const problem of problems) note(keptText(problem));
  return documents;
}

function listRows(
  from: readonly ConfigDocument[],
  to: readonly ConfigDocument[],
  asPatch: boolean,
): readonly (DiffRow | PatchRow)[] {
  if (asPatch) return [{ patch: patchBetween(from, to) }];
  return diffDocuments(from, to);
}

function formatRow(row: DiffRow | PatchRow): string {
  if ("patch" in row) {
    return row.node === undefined ? row.patch : withNodeComment(row);
  }
  const { node, identity, change, diff } = row;
  const where = node === undefined ? "" : `${node}: `;
  return `${where}${identity} ${change}\n${diff}`;
}

function withNodeComment({ node, patch }: PatchRow): string {
  return `# ${node}\n${patch}`;
}
