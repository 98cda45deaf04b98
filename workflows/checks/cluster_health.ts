import { OsctlError } from "../../errors.ts";
import { memberNamed } from "../../transport/node/members.ts";
import { isNamed, presentMembers } from "./ask_nodes.ts";
import { type Check, goneField, holds, unless } from "./check.ts";
import { formatCount } from "../../lib/text/count.ts";
import { healthChecks } from "./health/all.ts";
import { foreignNodes } from "./health/kubernetes_conditions.ts";
import {
  discoveredNodes,
  type HealthCheck,
  type HealthContext,
} from "./health/health_context.ts";

/** Checks all conditions of `osctl health`. */
export const clusterHealth: Check = {
  name: "cluster.health",
  summary: "All conditions of osctl health are met",
  scope: "cluster",
  input: {
    gone: goneField,
    without: {
      type: "list",
      summary: "Conditions to skip, by their names in osctl health",
      items: {
        type: "enum",
        summary: "Name of a condition",
        values: healthChecks.map(({ name }) => name),
      },
    },
    joined: {
      type: "list",
      initial: [],
      summary: "Addresses of nodes that must be members",
      items: { type: "string", summary: "Address of a node" },
    },
    skipForeign: {
      type: "bool",
      initial: true,
      summary:
        "Whether to skip Kubernetes nodes that are not cluster members and run another operating system",
    },
  },
  async run({ cluster, signal }, { without, gone, joined, skipForeign }) {
    const left = Array.isArray(without) ? without : [];
    const checks = healthChecks.filter(({ name }) => !left.includes(name));
    // Includes nodes that have joined since the run began.
    const members = (await presentMembers({ cluster })).filter((one) =>
      !isNamed(one, gone)
    );
    const awaited = (Array.isArray(joined) ? joined : []).flatMap((address) =>
      memberNamed(members, String(address)) !== undefined
        ? []
        : [`${address} has not joined the cluster`]
    );
    if (awaited.length > 0) return unless(awaited, "");
    const nodes = await discoveredNodes({
      at: cluster.at,
      members: () => Promise.resolve(members),
    });
    const { kubernetes } = cluster;
    const leaver = typeof gone === "string" ? { gone } : {};
    const context = {
      ...{ cluster, signal, nodes, kubernetes, ...leaver },
      skipForeign: skipForeign !== false,
    };
    const missing = await Promise.all(
      checks.map((one) => findProblem(one, context)),
    );
    const problems = missing.flatMap((problem) => problem ?? []);
    if (problems.length > 0) return unless(problems, "");
    const skipped = await skippedNodes(context);
    const found = holds(`${formatCount(checks.length, "condition")} hold`);
    if (skipped.length === 0) return found;
    const note = `Skipped ${
      formatCount(skipped.length, "Kubernetes node")
    } outside the cluster: ${skipped.join(", ")}`;
    return { ...found, note };
  },
};

/** Names of skipped nodes; none if Kubernetes does not answer: no condition required it then. */
async function skippedNodes(
  context: HealthContext,
): Promise<readonly string[]> {
  try {
    return (await foreignNodes(context)).map(({ name }) => name);
  } catch (error) {
    if (error instanceof OsctlError) return [];
    throw error;
  }
}

async function findProblem(
  { name, run }: HealthCheck,
  context: HealthContext,
): Promise<string | undefined> {
  try {
    const found = await run(context);
    return found.ok ? undefined : `${name}: ${found.reason}`;
  } catch (error) {
    if (error instanceof OsctlError) return `${name}: ${error.message}`;
    throw error;
  }
}
