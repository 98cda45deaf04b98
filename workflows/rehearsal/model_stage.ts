/** A model cluster as the stage of a rehearsal. */

import { OsctlError } from "../../errors.ts";
import type { ModelCluster } from "./model/model_cluster.ts";
import { nodeClient } from "../../transport/call/client.ts";
import { restoreCredentials } from "../ca/credentials.ts";
import type { Disk } from "./model_disk.ts";
import type { Testbed } from "./rehearse.ts";
import { allSteps } from "../runbooks/language/walk.ts";
import type { Credential } from "../runbooks/module.ts";
import type { Runbook } from "../runbooks/runbook.ts";
import { strikeModel } from "./model/model_faults.ts";
import { type Rehearsed, runModelProcess } from "./model_process.ts";

/**
 * Makes a stage of a cluster.
 *
 * @param cluster A cluster of its own for each run.
 */
export function modelTestbed(
  cluster: ModelCluster,
  rehearsed: Rehearsed,
): Testbed {
  const { runbook } = rehearsed;
  const { clock, truth } = cluster;
  const names = new Map(
    truth().nodes.map(({ address, name }) => [address, name]),
  );
  return {
    runbook,
    clock,
    truth,
    nameOf: (node) => names.get(node) ?? node,
    strike: (fault) => strikeModel(cluster, fault),
    process: (life, disk, parts) =>
      runModelProcess(rehearsed, { cluster, life, disk, ...parts }),
    ...(issuesClients(runbook)
      ? { shutOut: (disk: Disk) => shutOut(cluster, disk) }
      : {}),
  };
}

/** Whether nodes may come to refuse the client a run began with. */
function issuesClients({ steps, rescue, always }: Runbook): boolean {
  return [...allSteps([...steps, ...rescue, ...always])].some((step) =>
    step.verb === "run" && step.module === "osconfig.issue"
  );
}

/** Nodes that are there, and that nothing on a disk opens. */
async function shutOut(
  cluster: ModelCluster,
  { vault }: Disk,
): Promise<readonly string[]> {
  const issued: Credential[] = [];
  await restoreCredentials({ add: (one) => issued.push(one) }, vault);
  if (issued.length === 0) return [];
  const all = [cluster.admin, ...issued.map(({ ca, crt }) => ({ ca, crt }))];
  const there = cluster.truth().nodes.filter(({ isPart, isReachable }) =>
    isPart && isReachable
  );
  const looks = there.map(async ({ name }) => {
    for (const one of all) {
      // The first that opens it is enough.
      if (await opens(cluster, name, one)) return [];
    }
    return [`nothing opens ${name}`];
  });
  return (await Promise.all(looks)).flat();
}

async function opens(
  cluster: ModelCluster,
  node: string,
  { ca, crt }: { readonly ca: string; readonly crt: string },
): Promise<boolean> {
  const transport = cluster.transport(node, { ca, crt, key: "" });
  try {
    await nodeClient(node, transport, {}).machine.version({});
    return true;
  } catch (error) {
    if (error instanceof OsctlError) return false;
    throw error;
  }
}
