/** All conditions of a healthy cluster, in order. */

import { domain } from "../../../talos.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { single } from "../../../transport/call/reply.ts";
import type { EtcdMember } from "../../../transport/gen/machine.ts";
import { hexadecimal } from "../../etcd/etcd_facts.ts";
import { readStageStatus } from "../../../transport/node/machine_state.ts";
import { readSpec, readSpecs } from "../../../transport/node/read_resource.ts";
import {
  answerMs,
  askAll,
  findProblems,
  readDiagnostics,
  readService,
  readVersion,
  serviceProblem,
} from "../ask_nodes.ts";
import { type CheckResult, skip, unless } from "../check.ts";
import {
  askedAt,
  type HealthCheck,
  type HealthContext,
} from "./health_context.ts";
import {
  controlPlaneReady,
  nodesReported,
  noNode,
  workloadReady,
} from "./kubernetes_conditions.ts";

const limitMs = 5 * 60_000;
const mebibyte = 1024 * 1024;

const ofKernel = 150 * mebibyte;

/** Minimum memory in bytes. */
const leastMemory = {
  controlPlane: 1_848 * mebibyte - ofKernel,
  worker: 1_024 * mebibyte - ofKernel,
} as const;

/** Minimum size of the EPHEMERAL partition in bytes: a disk of 6 GiB without the other partitions. */
const leastDisk = (6 * 1_024 - (2_101 + 100 + 1 + 10)) * mebibyte;

/** Static pods of every control plane. */
const staticPods = [
  "kube-system/kube-apiserver",
  "kube-system/kube-controller-manager",
  "kube-system/kube-scheduler",
] as const;

/** Conditions before nodes are ready in Kubernetes. */
export const checksBeforeReadiness: readonly HealthCheck[] = [
  onEach("etcd to be healthy", controlPlanes, checkHealth("etcd")),
  {
    name: "etcd members to be consistent across nodes",
    limitMs,
    run: etcdConsistent,
  },
  {
    name: "etcd members to be control plane nodes",
    limitMs,
    run: etcdOnControlPlanes,
  },
  onEach("apid to be ready", allNodes, async (client) => {
    await readVersion(client);
    return undefined;
  }),
  { name: "all nodes memory sizes", limitMs, run: memorySizes },
  { name: "all nodes disk sizes", limitMs, run: diskSizes },
  { name: "no diagnostics", limitMs: 60_000, run: noDiagnostics },
  onEach("kubelet to be healthy", allNodes, checkHealth("kubelet")),
  onEach("all nodes to finish boot sequence", allNodes, async (client) => {
    const { stage } = await readStageStatus(client);
    return stage === "running" ? undefined : `stage is ${stage || "not known"}`;
  }),
  { name: "all k8s nodes to report", limitMs, run: nodesReported },
  onEach(
    "all control plane static pods to be running",
    controlPlanes,
    staticPodProblem,
  ),
  {
    name: "all control plane components to be ready",
    limitMs,
    run: controlPlaneReady,
  },
];

/** The conditions; each requires the previous ones. */
export const healthChecks: readonly HealthCheck[] = [
  ...checksBeforeReadiness,
  {
    name: "all k8s nodes to report ready",
    limitMs: 10 * 60_000,
    run: (context) => noNode(context, "not ready", ({ ready }) => !ready),
  },
  {
    name: "kube-proxy to report ready",
    limitMs,
    run: (context) => workloadReady(context, "DaemonSet", "kube-proxy"),
  },
  {
    name: "coredns to report ready",
    limitMs,
    run: (context) => workloadReady(context, "Deployment", "kube-dns"),
  },
  {
    name: "all k8s nodes to report schedulable",
    limitMs,
    run: (context) =>
      noNode(context, "cordoned", ({ unschedulable }) => unschedulable),
  },
];

/** A condition that all of the given nodes must meet. */
function onEach(
  name: string,
  listNodes: (context: HealthContext) => readonly string[],
  problemOf: (client: NodeClient) => Promise<string | undefined>,
): HealthCheck {
  return {
    name,
    limitMs,
    run: async (context) =>
      unless(await findProblems(context, listNodes(context), problemOf), ""),
  };
}

function controlPlanes({ nodes }: HealthContext): readonly string[] {
  return askedAt(nodes.controlPlanes);
}

function allNodes({ nodes }: HealthContext): readonly string[] {
  return askedAt([...nodes.controlPlanes, ...nodes.workers]);
}

function checkHealth(service: string) {
  return async (client: NodeClient) =>
    serviceProblem(service, await readService(client, service), true);
}

async function etcdConsistent(context: HealthContext): Promise<CheckResult> {
  const { values, problems } = await askAll(
    context,
    controlPlanes(context),
    membersSeenBy,
  );
  const [first, ...others] = [...values].map(([node, members]) =>
    [node, members.map(identity).toSorted().join(", ")] as const
  );
  const [reference, expected] = first ?? [];
  return unless([
    ...problems,
    ...others.filter(([, list]) => list !== expected).map(([node, list]) =>
      `${node} lists the members ${list}, and ${reference} lists ${expected}`
    ),
  ], "");
}

/** etcd members run on control planes only. */
async function etcdOnControlPlanes(
  context: HealthContext,
): Promise<CheckResult> {
  const { values, problems } = await askAll(
    context,
    controlPlanes(context),
    membersSeenBy,
  );
  const [members] = values.values();
  if (members === undefined) return unless(problems, "");
  const known = new Set(
    context.nodes.controlPlanes.flatMap(({ addresses }) => addresses),
  );
  const strangers = members.flatMap(({ hostname, id, peerUrls }) =>
    peerUrls.map((url) => new URL(url).hostname.replace(/^\[|\]$/g, ""))
      .filter((host) => !known.has(host))
      .map((host) =>
        `member ${
          hostname || hexadecimal(id)
        } is at ${host}, which is not a control plane`
      )
  );
  return unless(strangers, "");
}

async function membersSeenBy(
  { machine }: NodeClient,
): Promise<readonly EtcdMember[]> {
  const answer = await machine.etcdMemberList({}, { deadlineMs: answerMs });
  return single(answer.messages).members;
}

function identity({ id, hostname, isLearner }: EtcdMember): string {
  return `${hostname || hexadecimal(id)}${isLearner ? " (learner)" : ""}`;
}

async function memorySizes(context: HealthContext): Promise<CheckResult> {
  const { nodes, problems } = await realMachines(context);
  const large = new Set(controlPlanes(context));
  const small = await findProblems(context, nodes, async (client) => {
    const answer = await client.machine.memory({}, { deadlineMs: answerMs });
    const { meminfo } = single(answer.messages);
    const has = Number(meminfo?.memtotal ?? 0) * 1_024;
    const least =
      leastMemory[large.has(client.node) ? "controlPlane" : "worker"];
    return has >= least
      ? undefined
      : `has ${inMebibytes(has)} of memory and needs ${inMebibytes(least)}`;
  });
  return unless([...problems, ...small], "");
}

async function diskSizes(context: HealthContext): Promise<CheckResult> {
  const { nodes, problems } = await realMachines(context);
  const sizes = await askAll(context, nodes, readDataSize);
  const all = [...sizes.values];
  if (all.some(([, size]) => size === undefined)) {
    return skip("a node does not report its volumes");
  }
  const needed = inMebibytes(leastDisk);
  const small = all.filter(([, size = 0]) => size < leastDisk)
    .map(([node, size = 0]) =>
      `${node}: has ${inMebibytes(size)} for data and needs ${needed}`
    );
  return unless([...problems, ...sizes.problems, ...small], "");
}

/** Nodes that are not containers: those share the resources of their host. */
async function realMachines(context: HealthContext) {
  const { values, problems } = await askAll(
    context,
    allNodes(context),
    async (client) => (await readVersion(client)).platform?.mode,
  );
  const nodes = [...values].filter(([, mode]) => mode !== "container")
    .map(([node]) => node);
  return { nodes, problems };
}

/** Size of the EPHEMERAL volume in bytes; `undefined` if the node does not show it. */
async function readDataSize(client: NodeClient): Promise<number | undefined> {
  const spec = await readSpec(client, {
    namespace: "runtime",
    type: `VolumeStatuses.block.${domain}`,
    id: "EPHEMERAL",
  });
  return spec === undefined ? undefined : Number(spec.size ?? 0);
}

function inMebibytes(bytes: number): string {
  return `${Math.floor(bytes / mebibyte)} MiB`;
}

/** No node has reported a diagnostic. */
async function noDiagnostics(context: HealthContext): Promise<CheckResult> {
  const { values, problems } = await askAll(
    context,
    allNodes(context),
    readDiagnostics,
  );
  if ([...values.values()].includes(undefined)) {
    return skip("a node does not report its diagnostics");
  }
  return unless([
    ...problems,
    ...[...values].flatMap(([node, texts = []]) =>
      texts.length === 0 ? [] : [`${node}: ${texts.join(", ")}`]
    ),
  ], "");
}

/** Skips nodes that do not show their static pods: another condition covers them. */
async function staticPodProblem(
  client: NodeClient,
): Promise<string | undefined> {
  const specs = await readSpecs(client, {
    namespace: "k8s",
    type: `StaticPodStatuses.kubernetes.${domain}`,
  });
  const ids = [...specs?.keys() ?? staticPods];
  const missing = staticPods.filter((prefix) =>
    !ids.some((id) => id.startsWith(prefix))
  );
  return missing.length === 0
    ? undefined
    : `static pods are missing: ${missing.join(", ")}`;
}
