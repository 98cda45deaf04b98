import type { ResourcePlace } from "../transport/node/read_resource.ts";
import { applyPatches, type Patch } from "../config/patch.ts";
import { applyOperations } from "../config/patches/json_patch.ts";
import { OsctlError, UsageError } from "../errors.ts";
import { computing } from "../interrupts.ts";
import { yieldPeriodically } from "../lib/timer.ts";
import { type ConfigurationChange, configuring } from "./_configure/apply.ts";
import { applyInputs, stepInputs } from "./_configure/apply_inputs.ts";
import { type ChangeRow, changeView } from "./_configure/apply_plan.ts";
import {
  changeTo,
  type ConfigureContext,
  gatherFacts,
  type NodeChange,
} from "./_configure/configuration.ts";
import { type Command, text, type Values } from "./_kit/mod.ts";
import { patchFlag, readPatches } from "./_configure/patches.ts";
import {
  readResource,
  resourceInputs,
  resourceNamed,
  writeResource,
} from "./_configure/update_resource.ts";

const inputs = {
  patch: patchFlag("patch, or @file", { short: "p" }),
  patchFile: text("patch file", { complete: "files", dash: true }),
  ...resourceInputs,
  ...applyInputs,
};

type PatchInputs = Values<typeof inputs>;

type PatchContext = ConfigureContext<PatchInputs>;

const configure = configuring<PatchInputs>(async (context) => {
  const { nodes, input } = context;
  const patches = await loadPatches(context);
  const name = await resourceNamed(nodes, input);
  if (name === undefined) return await patchConfigurations(context, patches);
  // Other resources are not covered by operations; they are written
  // immediately.
  const rows = patchResources(context, name, patches);
  const total = (await nodes.names()).length;
  return { rows, changes: [], failures: new Map(), total };
});

export const change = configure.change;

export const command = {
  summary: "Patch the configuration of nodes",
  description:
    `Patches each node's own configuration, validates it and applies it as "apply-config" does; a node that already has
the change is skipped. A patch is a partial configuration that is merged, or a list of operations (RFC 6902), see "osctl
machineconfig patch". Other resource types take JSON patch operations, but nodes refuse changes to most of them.`,
  shortSteps: {
    "config.patch": {
      summary: "Patch the configuration of a node",
      inputs: { file: "patchFile", ...stepInputs },
      required: ["file"],
      fixed: { type: "machineconfig" },
    },
  },
  inputs,
  examples: [
    `patch -n 10.0.0.5 -p '{"machine": {"sysctls": {"vm.nr_hugepages": "64"}}}'`,
    "patch mc --nodes @workers --patch @registries.yaml --dry-run",
    "patch mc -n 10.0.0.2 -p @network.yaml --mode try --check kubelet",
  ],
  view: changeView,
  run: configure.run,
} satisfies Command<ChangeRow, PatchInputs>;

async function loadPatches(context: PatchContext): Promise<readonly Patch[]> {
  const { input } = context;
  const files = input.patchFile === undefined ? [] : [`@${input.patchFile}`];
  const patches = await readPatches([...input.patch, ...files], context);
  if (patches.length > 0) return patches;
  throw new UsageError("No patch is given", {
    hint: "Pass it with --patch or --patch-file",
  });
}

/** New configuration of each node, and rows of unchanged nodes. */
async function patchConfigurations(
  context: PatchContext,
  patches: readonly Patch[],
): Promise<ConfigurationChange> {
  const { note, input: { mode } } = context;
  const { facts, failures, total } = await gatherFacts(context);
  const failed = new Map(failures);
  const changes: NodeChange[] = [];
  const rows: ChangeRow[] = [];
  const breathe = yieldPeriodically(context.signal);
  for (const one of facts) {
    await breathe();
    computing();
    const { node, live, hidden } = one;
    if (live === undefined) {
      const why = hidden ?? new OsctlError("It has no configuration to patch");
      failed.set(node, why);
      continue;
    }
    const { documents, notes, changed } = applyPatches(live.documents, patches);
    for (const text of notes) note(`${node}: ${text}`);
    if (changed) changes.push(changeTo(one, documents));
    else {
      note(`${node}: no change`);
      const row = { node, outcome: "unchanged", reason: "no change" } as const;
      rows.push({ ...row, mode, details: "", warnings: [] });
    }
  }
  return { rows, changes, failures: failed, total, done: "patched" };
}

async function* patchResources(
  { nodes, input, note }: PatchContext,
  name: ResourcePlace,
  patches: readonly Patch[],
): AsyncGenerator<ChangeRow> {
  const operations = patches.flatMap((patch) => {
    if (patch.kind === "json") return patch.operations;
    throw new UsageError(`Patch "${patch.file}" is not a list of operations`, {
      hint: 'Write it as [{"op": "replace", "path": "/key", "value": 1}]',
    });
  });
  const rows = nodes.call(async (client) => {
    const resource = await readResource(client, name);
    const old = resource.spec?.yamlSpec ?? "";
    const spec = applyOperations(
      old,
      `${name.id} of ${client.node}`,
      operations,
    );
    return await writeResource(client, resource, spec, input);
  });
  for await (const { value } of rows) {
    if ("outcome" in value) {
      const word = value.outcome === "unchanged" ? "no change" : "patched";
      note(`${value.node}: ${word}`);
    }
    yield value;
  }
}
