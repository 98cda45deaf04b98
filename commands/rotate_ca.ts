import { RefusedError, UsageError } from "../errors.ts";
import { legacyFlags } from "../talos.ts";
import { allMembers } from "../transport/node/members.ts";
import {
  planRotation,
  type RotationNodes,
  type RotationRow,
} from "../workflows/ca/report.ts";
import { short } from "../workflows/ca/certificate_text.ts";
import type { CaKind } from "../workflows/ca/trust_list.ts";
import {
  type ClusterView,
  viewCluster,
} from "../workflows/operations/cluster_view.ts";
import {
  type Command,
  type Context,
  outputFlag,
  table,
  text,
  toggle,
  type Values,
  type View,
} from "./_kit/mod.ts";
import { clusterInputs, namedAddresses } from "./_kit/node_inputs.ts";
import { makeClock } from "../workflows/operations/run_on_nodes.ts";
import {
  type RunRow,
  runView,
} from "../workflows/runbooks/report/watch_run.ts";
import { toComments } from "../workflows/modules/configuration_comments.ts";
import type { RunRequest } from "../workflows/runbooks/run/prepare_run.ts";
import { startRun } from "../workflows/runbooks/run/start_run.ts";
import { runSession } from "./_runbook/session.ts";
import { findPlaces } from "../workflows/runbooks/store/run_paths.ts";
import { commentFlags, runFlags } from "./_runbook/run_flags.ts";

/** Row of the command: a planned change of a node, or a run. */
type RotateCaRow = RotationRow | RunRow;

const inputs = {
  ...runFlags,
  os: toggle("rotate the CA of the node API", {
    initial: true,
    aliases: [legacyFlags.os],
  }),
  kubernetes: toggle("rotate the CA of Kubernetes", {
    initial: true,
  }),
  dryRun: toggle("only show what would be done", { initial: true }),
  output: text(
    "file to write the new client configuration to, for other users",
    {
      short: "o",
      initial: "osconfig",
      complete: "files",
    },
  ),
  ...clusterInputs,
  ...commentFlags,
};

type RotateCaInputs = Values<typeof inputs>;

export const command = {
  summary: "Rotate the CAs of the node API and of Kubernetes",
  section: "ca",
  description:
    `Without --dry-run=false nothing is changed: osctl shows the CAs of each node and the steps it would take, in order.
All nodes accept the new CA first, then it issues certificates, then the old one is removed; a new client
configuration is written before the old one stops working, and at the end the current context gets the new client; the
file is backed up first. Keys are never printed.

With --dry-run=false it runs the runbook rotate-ca on all nodes of the cluster; resume an interrupted rotation with
"osctl runbook resume".`,
  noStep: "it is a runbook; write use: builtin:rotate-ca instead",
  output: "own",
  inputs,
  examples: [
    "rotate-ca",
    "rotate-ca --kubernetes=false --control-plane-nodes 10.0.0.2 --worker-nodes 10.0.0.5",
  ],
  view: ({ dryRun }) => dryRun ? rotationView : carriedView,
  run: rotate,
} satisfies Command<RotateCaRow, RotateCaInputs>;

/** View of the plan; runs use the common view. */
function planCell(
  cell: (row: RotationRow) => string,
): (row: RotateCaRow) => string {
  return (row) => "steps" in row ? cell(row) : "";
}

const rotationView: View<RotateCaRow> = table({
  CA: planCell(({ kind }) => kind),
  NODE: planCell(({ node }) => node),
  ROLE: planCell(({ role }) => role),
  ISSUING: planCell(({ issuing }) => issuing === null ? "" : short(issuing)),
  ACCEPTED: planCell(({ accepted }) => accepted.map(short).join(",")),
  STEPS: {
    cell: planCell(({ steps }) => steps.join(" > ")),
    prose: true,
    priority: 0,
  },
});

const carriedView: View<RotateCaRow> = {
  ...runView,
  render: (row, first, columns) =>
    "steps" in row ? "" : runView.render(row, first, columns),
};

async function* rotate(
  context: Context<RotateCaInputs>,
): AsyncGenerator<RotateCaRow> {
  const { input, nodes, environment, note } = context;
  const kinds: readonly CaKind[] = [
    ...input.os ? ["os" as const] : [],
    ...input.kubernetes ? ["kubernetes" as const] : [],
  ];
  if (kinds.length === 0) {
    throw new UsageError("Nothing to rotate", {
      hint: "Omit --os=false or --kubernetes=false",
    });
  }
  using cluster = viewCluster(nodes, makeClock(environment));
  const named = await groupNodes(cluster, input);
  if (!input.dryRun) {
    await refuseParts(cluster, named);
    const places = findPlaces(environment);
    return yield* startRun(runSession(context), runInputs(input), { places });
  }
  for (const kind of kinds) {
    // In order of execution.
    yield* await planRotation(cluster, named, kind);
  }
  note("Nothing was changed. To rotate, pass: --dry-run=false");
}

function runInputs(
  { os, kubernetes, output, withDocs, withExamples, ...flags }: RotateCaInputs,
): RunRequest {
  const values = {
    os,
    kubernetes,
    osconfig: output,
    secretsOut: `${output}.secrets.yaml`,
    comments: toComments({ docs: withDocs, examples: withExamples }),
  };
  return {
    ...flags,
    runbook: "builtin:rotate-ca",
    input: Object.entries(values).map(([name, value]) => `${name}=${value}`),
    inputs: undefined,
    secret: [],
    limit: [],
    supersede: undefined,
    allowCommands: false,
    output: outputFlag.initial,
  };
}

/** A node that kept the old CA would be lost once it is removed. */
async function refuseParts(
  cluster: ClusterView,
  { controlPlanes, workers }: RotationNodes,
): Promise<void> {
  const named = new Set([...controlPlanes, ...workers]);
  const members = allMembers(await cluster.members())
    .map(({ address }) => address);
  const left = members.filter((address) => !named.has(address));
  if (left.length === 0) return;
  throw new RefusedError(
    `Cannot rotate CAs on part of a cluster: ${
      left.join(", ")
    } would be skipped`,
    { hint: "Name all nodes, or none" },
  );
}

async function groupNodes(
  cluster: ClusterView,
  input: RotateCaInputs,
): Promise<RotationNodes> {
  const named = namedAddresses(input);
  if (named.controlPlanes.length + named.workers.length > 0) return named;
  const members = allMembers(await cluster.members());
  const addresses = (isPlane: boolean) =>
    members.filter(({ controlPlane }) => controlPlane === isPlane)
      .map(({ address }) => address);
  return { controlPlanes: addresses(true), workers: addresses(false) };
}
