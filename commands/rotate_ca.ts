import { UsageError } from "../errors.ts";
import { ipVersion } from "../transport/address.ts";
import {
  planRotation,
  type RotationNodes,
  type RotationRow,
} from "../workflows/ca/rotation_plan.ts";
import { short } from "../workflows/ca/certificate_text.ts";
import type { CaKind } from "../workflows/ca/trust_list.ts";
import {
  type ClusterView,
  viewCluster,
} from "../workflows/operations/cluster_view.ts";
import {
  type Command,
  type Context,
  strings,
  table,
  text,
  toggle,
} from "./_kit/mod.ts";
import { clockOf } from "./_kit/operate.ts";

/** Inputs of the command. */
export interface RotateCaInputs {
  /** `--os`. */
  readonly os: boolean;
  /** `--kubernetes`. */
  readonly kubernetes: boolean;
  /** `--dry-run`. */
  readonly dryRun: boolean;
  /** `--output`: the file, not the format. */
  readonly output: string;
  /** `--control-plane-nodes`. */
  readonly controlPlaneNodes: readonly string[];
  /** `--worker-nodes`. */
  readonly workerNodes: readonly string[];
  /** `--init-node`. */
  readonly initNode: string | undefined;
  /** `--k8s-endpoint`. */
  readonly k8sEndpoint: string | undefined;
  /** `--with-docs`. */
  readonly withDocs: boolean;
  /** `--with-examples`. */
  readonly withExamples: boolean;
}

/** `osctl rotate-ca`: what an exchange of authorities would do, and how it is begun. */
export const command: Command<RotationRow, RotateCaInputs> = {
  summary: "Exchange the authorities of the node API and of Kubernetes",
  description:
    `Without --dry-run=false nothing is changed: each node is shown with who certifies it and what would be done to it, in
order. Nodes accept the new authority first, then it issues, then the old one is dropped; a new client configuration
is written before the old client stops working. Keys are never printed. An exchange that was cut off is resumed with
osctl runbook resume.`,
  section: "cluster",
  output: "own",
  inputs: {
    os: toggle("exchange the authority of the node API", { initial: true }),
    kubernetes: toggle("exchange the authority of Kubernetes", {
      initial: true,
    }),
    dryRun: toggle("only show what would be done", { initial: true }),
    output: text("file the new client configuration is written to", {
      short: "o",
      initial: "osconfig",
      complete: "files",
    }),
    controlPlaneNodes: strings("addresses of control planes", {
      shown: "members of the cluster",
    }),
    workerNodes: strings("addresses of workers", {
      shown: "members of the cluster",
    }),
    initNode: text("address of one more control plane"),
    k8sEndpoint: text("Kubernetes API, as HOST or HOST:PORT", {
      shown: "that of the kubeconfig",
    }),
    withDocs: toggle(
      "accepted for other clients; configurations keep what is in them",
      {
        initial: true,
        hidden: true,
      },
    ),
    withExamples: toggle(
      "accepted for other clients; configurations keep what is in them",
      {
        initial: true,
        hidden: true,
      },
    ),
  },
  examples: [
    "rotate-ca",
    "rotate-ca --kubernetes=false --control-plane-nodes 10.0.0.2 --worker-nodes 10.0.0.5",
  ],
  view: table({
    AUTHORITY: ({ kind }) => kind,
    NODE: ({ node }) => node,
    ROLE: ({ role }) => role,
    ISSUING: ({ issuing }) => issuing === null ? "" : short(issuing),
    ACCEPTED: ({ accepted }) => accepted.map(short).join(","),
    STEPS: ({ steps }) => steps.join(" > "),
  }),
  run: rotate,
};

async function* rotate(
  context: Context<RotateCaInputs>,
): AsyncGenerator<RotationRow> {
  const { input, nodes, world, note } = context;
  const kinds: readonly CaKind[] = [
    ...input.os ? ["os" as const] : [],
    ...input.kubernetes ? ["kubernetes" as const] : [],
  ];
  if (kinds.length === 0) {
    throw new UsageError("Nothing is left to exchange", {
      hint: "Leave out --os=false or --kubernetes=false",
    });
  }
  if (!input.dryRun) throw new UsageError(runText, { hint: runOf(input) });
  using cluster = viewCluster(nodes, clockOf(world));
  const named = await nodesOf(cluster, input);
  for (const kind of kinds) {
    // One after the other, as it would be done.
    yield* await planRotation(cluster, named, kind);
  }
  note(`Nothing was changed. Do it with: ${runOf(input)}`);
}

const runText = "An exchange of authorities is a run that can be resumed";

/** The runbook, with what was asked for. */
function runOf({ os, kubernetes, output }: RotateCaInputs): string {
  const values = {
    os,
    kubernetes,
    osconfig: output,
    secretsOut: `${output}.secrets.yaml`,
  };
  const words = Object.entries(values).map(([name, value]) =>
    `--input ${name}=${value}`
  );
  return `osctl runbook run rotate-ca ${words.join(" ")}`;
}

async function nodesOf(
  cluster: ClusterView,
  { controlPlaneNodes, workerNodes, initNode }: RotateCaInputs,
): Promise<RotationNodes> {
  const init = initNode === undefined ? [] : [initNode];
  const wrong = [...controlPlaneNodes, ...workerNodes, ...init]
    .find((node) => ipVersion(node) === 0);
  if (wrong !== undefined) {
    throw new UsageError(`"${wrong}" is not an IP address`, {
      hint: "Name nodes by their addresses",
    });
  }
  if (controlPlaneNodes.length + workerNodes.length > 0) {
    const controlPlanes = [...init, ...controlPlaneNodes];
    return { controlPlanes, workers: workerNodes };
  }
  const members = await cluster.members();
  const addresses = (isPlane: boolean) =>
    members.filter(({ controlPlane }) => controlPlane === isPlane)
      .map(({ address }) => address);
  return { controlPlanes: addresses(true), workers: addresses(false) };
}
