import { withV } from "../../lib/version.ts";
import { domain } from "../../talos.ts";
import { OsctlError, RpcError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { single } from "../../transport/call/reply.ts";
import { failureKind } from "../../transport/call/retryable.ts";
import { readStageStatus } from "../../transport/node/machine_state.ts";
import { memberNamed } from "../../transport/node/members.ts";
import { readSpec } from "../../transport/node/read_resource.ts";
import type { WireTime } from "../../transport/node/timestamp.ts";
import { readNodeConfiguration } from "../configuration/node_configuration.ts";
import {
  answerMs,
  groupCheck,
  presentMembers,
  readService,
  readServices,
  readVersion,
  serviceProblem,
} from "./ask_nodes.ts";
import {
  type Check,
  holds,
  lacks,
  nodeField,
  requireNode,
  unless,
} from "./check.ts";
import { formatCount } from "../../lib/text/count.ts";

/** Checks that a node has booted and reports ready. */
export const nodeReady: Check = {
  name: "node.ready",
  summary: "The node has booted and is ready",
  scope: "node",
  input: { node: nodeField },
  async run(context, input) {
    const client = await context.cluster.at(requireNode(context, input));
    const { stage, ready, unmet } = await readStageStatus(client);
    if (stage !== "running") return lacks(`stage is ${stage || "not known"}`);
    return ready
      ? holds("running and ready")
      : lacks(["not ready", ...unmet].join("; "));
  },
};

const idle: ReadonlySet<string> = new Set(["Finished", "Skipped"]);

/** Checks that the services of a node run, and that those with a health check are healthy. */
export const nodeServices: Check = {
  name: "node.services",
  summary: "All services of the node are running and healthy",
  scope: "node",
  input: {
    node: nodeField,
    services: {
      type: "list",
      summary: "Services to check, which must exist; default all",
      items: { type: "string", summary: "Name of a service" },
    },
  },
  async run(context, input) {
    const client = await context.cluster.at(requireNode(context, input));
    const all = await readServices(client);
    const named = Array.isArray(input.services)
      ? input.services.map(String)
      : all.filter(({ state }) => !idle.has(state)).map(({ id }) => id);
    const problems = named.flatMap((id) =>
      serviceProblem(id, all.find((one) => one.id === id), false) ?? []
    );
    return unless(problems, `${formatCount(named.length, "service")} healthy`);
  },
};

/** Checks that the kubelet of a node runs and is healthy. */
export const nodeKubeletHealthy: Check = {
  name: "node.kubeletHealthy",
  summary: "The kubelet of the node is healthy",
  scope: "node",
  input: { node: nodeField },
  async run(context, input) {
    const client = await context.cluster.at(requireNode(context, input));
    const service = await readService(client, "kubelet");
    const problem = serviceProblem("kubelet", service, true);
    return problem === undefined ? holds("kubelet healthy") : lacks(problem);
  },
};

/** Checks the version of nodes. */
export const nodesVersion: Check = groupCheck({
  name: "nodes.version",
  summary: "All nodes run the same version of the operating system",
  input: {
    version: {
      type: "semver",
      summary: "The expected version",
      required: true,
    },
  },
  async findProblem(client, input) {
    const tag = (await readVersion(client)).version?.tag ?? "";
    return tag === withV(String(input.version))
      ? undefined
      : `runs ${tag || "an unknown version"}`;
  },
  seen: (nodes, { version }) => `${nodes} with ${withV(String(version))}`,
});

/** Checks that nodes answer. */
export const nodesAllReachable: Check = groupCheck({
  name: "nodes.allReachable",
  summary: "All nodes answer",
  async findProblem(client) {
    await readVersion(client);
    return undefined;
  },
  seen: (nodes) => `${nodes} answered`,
});

/** Checks that no node has type `init`, which bootstraps etcd by itself. */
export const nodesNoInitType: Check = groupCheck({
  name: "nodes.noInitType",
  summary:
    "No node has machine type init, which bootstraps a cluster by itself",
  lasts: true,
  async findProblem(client) {
    const type = (await readNodeConfiguration(client))?.machineType;
    if (type === undefined) {
      throw new OsctlError("its configuration cannot be read");
    }
    return type === "init"
      ? "its machine type is init; set it to controlplane"
      : undefined;
  },
  seen: (nodes) => `${nodes} without`,
});

/** Checks that the cluster members are those the run was planned for. */
export const nodesMembershipUnchanged: Check = {
  name: "nodes.membershipUnchanged",
  summary: "No node has joined or left since the run was planned",
  scope: "cluster",
  input: {},
  async run(context) {
    const planned = await context.group();
    const present = await presentMembers(context);
    const known = new Set(planned);
    return unless([
      ...planned.filter((node) => memberNamed(present, node) === undefined)
        .map((node) => `${node} has left`),
      ...present.filter(({ address, hostname }) =>
        !known.has(address) && !known.has(hostname)
      ).map(({ hostname }) => `${hostname} has joined`),
    ], formatCount(planned.length, "node"));
  },
};

/** Maximum difference between a node's clock and its time server, in milliseconds. */
const toleranceMs = 5_000;

/** Checks that the clocks of nodes are in sync. */
export const nodesTimeInSync: Check = groupCheck({
  name: "nodes.timeInSync",
  summary: "The clocks of all nodes are in sync with their time servers",
  async findProblem(client) {
    const status = await readSpec(client, {
      namespace: "runtime",
      type: `TimeStatuses.v1alpha1.${domain}`,
      id: "node",
    });
    if (status !== undefined && status.synced !== true) {
      return "the clock is not in sync yet";
    }
    const offset = await clockOffset(client);
    if (offset === undefined || Math.abs(offset) <= toleranceMs) {
      return undefined;
    }
    const seconds = Math.round(Math.abs(offset) / 1_000);
    return `the clock is ${seconds} s ${offset > 0 ? "ahead" : "behind"}`;
  },
  seen: (nodes) => `${nodes} in sync`,
});

/** Milliseconds the node is ahead; `undefined` if it cannot reach its time server. */
async function clockOffset({ time }: NodeClient): Promise<number | undefined> {
  try {
    const answer = await time.time({}, { deadlineMs: answerMs });
    const { localtime, remotetime } = single(answer.messages);
    if (localtime === undefined || remotetime === undefined) return undefined;
    return toMs(localtime) - toMs(remotetime);
  } catch (error) {
    // A node that cannot reach its time server reports so; its own status counts then.
    if (error instanceof RpcError && failureKind(error) !== "away") {
      return undefined;
    }
    throw error;
  }
}

function toMs({ seconds, nanos }: WireTime): number {
  return Number(seconds) * 1_000 + nanos / 1e6;
}
