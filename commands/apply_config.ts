import { encodeDocuments } from "../config/documents/encode.ts";
import { applyPatches } from "../config/patch.ts";
import { ConfigError } from "../errors.ts";
import { configuring } from "./_configure/apply.ts";
import { applyInputs, stepInputs } from "./_configure/apply_inputs.ts";
import { type ChangeRow, changeView } from "./_configure/apply_plan.ts";
import {
  type ConfigureContext,
  gatherFacts,
  prepare,
  type Prepared,
} from "./_configure/configuration.ts";
import {
  type Command,
  optionalWord,
  requiredText,
  type Values,
} from "./_kit/mod.ts";
import { patchFlag, readPatches } from "./_configure/patches.ts";
import { readConfiguration } from "./_configure/source.ts";
import { trustInputs } from "./_session/server_trust.ts";

const inputs = {
  what: optionalWord("accepted for compatibility", {
    choices: ["config", "machineconfig"],
  }),
  file: requiredText("configuration file; - for standard input", {
    short: "f",
    complete: "yaml",
    dash: true,
  }),
  configPatch: patchFlag(
    "patch to apply to the configuration before it is sent",
    {
      short: "p",
    },
  ),
  ...applyInputs,
  ...trustInputs,
};

type ApplyConfigInputs = Values<typeof inputs>;

const configure = configuring<ApplyConfigInputs>(async (context) => {
  const prepared = await configuration(context);
  const { facts, ...gathered } = await gatherFacts(context);
  const changes = facts.map((one) => ({
    ...one,
    ...prepared,
    isDerived: false,
  }));
  return { ...gathered, changes };
});

export const change = configure.change;

export const command = {
  summary: "Apply a configuration to nodes",
  description:
    `Reads, patches and validates the configuration, and compares it with the one each node runs. Nothing is sent if the
configuration is for another machine type, another cluster or a newer version, has keys the node does not support, or
would give several nodes the same hostname, address or key; --allow overrides each of these rules.

With --mode try, the node reverts after --timeout unless the configuration is confirmed. osctl confirms it as soon as
the node answers over a new connection, at its new address if it has one, and every --check passes; otherwise the node
reverts, and the command reports it. --dry-run shows what would change and sends nothing.

Use --insecure for a node that has no configuration yet. The connection is encrypted, but the server is not
authenticated, and a configuration holds the keys of the cluster. On a terminal, osctl shows the server's fingerprint
so that you can compare it with the one on the node's console, and asks; it remembers the answer for the address and
refuses any other fingerprint later. Without a terminal, pass --cert-fingerprint. --trust-any sends the configuration
to any server.`,
  aliases: ["apply"],
  shortSteps: {
    "config.apply": {
      summary: "Apply a configuration to a node",
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
  view: changeView,
  run: configure.run,
} satisfies Command<ChangeRow, ApplyConfigInputs>;

/** Text to send; unmodified if there are no patches. */
async function configuration(
  context: ConfigureContext<ApplyConfigInputs>,
): Promise<Prepared> {
  const { input: { file, configPatch }, note } = context;
  const source = await readConfiguration(file, context);
  const patches = await readPatches(configPatch, context);
  const prepared = prepare(source.text, source.name, note);
  if (patches.length === 0) return prepared;
  const { documents, notes } = applyPatches(prepared.wanted, patches);
  for (const text of notes) note(text);
  if (documents.length === 0) {
    throw new ConfigError(
      `Cannot apply "${source.name}": no documents are left`,
    );
  }
  const text = encodeDocuments(documents);
  return { text, name: source.name, wanted: documents };
}
