import { encodeDocuments } from "../config/documents/encode.ts";
import { applyPatches } from "../config/patch.ts";
import { ConfigError } from "../errors.ts";
import type { ChangeEnvironment } from "../workflows/operations/change.ts";
import type { AnyChange, Change } from "./_kit/operate.ts";
import { applyConfigBegun } from "../workflows/operations/apply_config.ts";
import {
  applyChanges,
  gatherFacts,
  prepare,
  prepareChanges,
  type Prepared,
} from "./_configure/apply.ts";
import { applyInputs, stepInputs } from "./_configure/apply_inputs.ts";
import { type PlannedRow, plannedText } from "./_configure/apply_plan.ts";
import type { AppliedRow } from "./_configure/apply_send.ts";
import {
  type AnyCommand,
  type Command,
  optionalWord,
  requiredText,
  textual,
  type Values,
} from "./_kit/mod.ts";
import {
  patchFlag,
  readConfiguration,
  readPatches,
} from "./_configure/patches.ts";
import { trustInputs } from "./_session/server_trust.ts";

const inputs = {
  what: optionalWord("may be said, for those used to it", {
    choices: ["config", "machineconfig"],
  }),
  file: requiredText('configuration, "-" for standard input', {
    short: "f",
    complete: "files",
  }),
  configPatch: patchFlag("patch for the configuration before it is sent", {
    short: "p",
  }),
  ...applyInputs,
  ...trustInputs,
};

type ApplyConfigInputs = Values<typeof inputs>;

type ApplyConfigContext = ChangeEnvironment & {
  readonly input: ApplyConfigInputs;
};

/** What the command changes; whether that reboots depends on the configuration. */
export const change: AnyChange = {
  operation: applyConfigBegun,
  async prepare(input, found) {
    const context = { ...found, input };
    const { gathered, changes } = await wantedChanges(context);
    return await prepareChanges(context, gathered, changes);
  },
} satisfies Change<ApplyConfigInputs>;

/** `osctl apply-config`: gives nodes a configuration. */
export const command: AnyCommand = {
  summary: "Apply a configuration to nodes",
  description:
    `The configuration is read and patched, checked for mistakes, and compared with what each node runs with. Nothing is sent
when it is for another kind of machine, another cluster or a newer version, has keys the node does not know, or would give
several nodes the same host name, address or key: --allow has a word for each.

With --mode try the node goes back after --timeout unless the configuration is confirmed. That is done as soon as the node
answers over a new connection, at its new address if it has one, and every --check is well; if not, the node goes back, and
the command says so. With --dry-run what would change is shown, and nothing is sent.

A node without a configuration is given it with --insecure. The connection is encrypted, but no CA vouches for the server, and
a configuration holds the keys of the cluster. On a terminal its fingerprint is shown, to be compared with the one on the
node's console, and you are asked; the answer is remembered for the address, and another fingerprint is refused later.
Without a terminal, give it with --cert-fingerprint. With --trust-any any server gets the configuration.`,
  aliases: ["apply"],
  shortSteps: {
    "config.apply": {
      summary: "Give a node a configuration",
      inputs: { file: "file", patches: "configPatch", ...stepInputs },
      required: ["file"],
      fixed: {},
    },
  },
  inputs,
  examples: [
    "apply-config --file controlplane.yaml --nodes 10.0.0.2",
    "apply-config --file worker.yaml --nodes @workers --dry-run",
    "apply-config --file cp1.yaml --nodes 10.0.0.2 --mode try --check etcd,kubelet",
    "apply-config --insecure --file worker.yaml --nodes 10.0.0.5,10.0.0.6",
  ],
  view: textual((row) => "changes" in row ? plannedText(row) : ""),
  async *run(context) {
    const { gathered, changes } = await wantedChanges(context);
    yield* applyChanges(context, gathered, changes);
  },
} satisfies Command<AppliedRow | PlannedRow, ApplyConfigInputs>;

/** The nodes, with what each is to be given. */
async function wantedChanges(context: ApplyConfigContext) {
  const prepared = await configuration(context);
  const gathered = await gatherFacts(context);
  const changes = gathered.facts.map((facts) => ({
    ...facts,
    prepared,
    wanted: prepared.documents,
  }));
  return { gathered, changes };
}

/** Text that is sent; as the user wrote it when there are no patches. */
async function configuration(
  context: ApplyConfigContext,
): Promise<Prepared> {
  const { input: { file, configPatch }, note } = context;
  const source = await readConfiguration(file, context);
  const patches = await readPatches(configPatch, context);
  const prepared = prepare(source.text, source.name, note);
  if (patches.length === 0) return prepared;
  const { documents, notes } = applyPatches(prepared.documents, patches);
  for (const text of notes) note(text);
  if (documents.length === 0) {
    throw new ConfigError(`Cannot apply "${source.name}": nothing is left`);
  }
  const text = encodeDocuments(documents);
  return { text, name: source.name, documents };
}
