import { OsctlError } from "../../errors.ts";
import { isNamed, presentMembers } from "./ask_nodes.ts";
import { type Check, counted, goneField, unless } from "./check.ts";
import { healthChecks } from "./health/all.ts";
import {
  discoveredNodes,
  type HealthCheck,
  type HealthSite,
} from "./health/health_site.ts";

/** Whether everything holds that `osctl health` waits for. */
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
    skipForeign: {
      type: "bool",
      initial: false,
      summary:
        "Whether to skip nodes of Kubernetes that are no members of the cluster",
    },
  },
  async run({ cluster, signal }, { without, gone, skipForeign }) {
    const left = Array.isArray(without) ? without : [];
    const checks = healthChecks.filter(({ name }) => !left.includes(name));
    // Nodes that have joined since the run began are part of what is to be healthy.
    const nodes = await discoveredNodes({
      at: cluster.at,
      members: async () =>
        (await presentMembers({ cluster })).filter((one) =>
          !isNamed(one, gone)
        ),
    });
    const { kubernetes } = cluster;
    const leaver = typeof gone === "string" ? { gone } : {};
    const site = {
      ...{ cluster, signal, nodes, kubernetes, ...leaver },
      skipForeign: skipForeign === true,
    };
    const missing = await Promise.all(
      checks.map((one) => problemOf(one, site)),
    );
    return unless(
      missing.flatMap((problem) => problem ?? []),
      `${counted(checks.length, "condition")} hold`,
    );
  },
};

async function problemOf(
  { name, run }: HealthCheck,
  site: HealthSite,
): Promise<string | undefined> {
  try {
    const found = await run(site);
    return found.ok ? undefined : `${name}: ${found.reason}`;
  } catch (error) {
    if (error instanceof OsctlError) return `${name}: ${error.message}`;
    throw error;
  }
}
