/** Health of a control plane's etcd. */

import { systemClock } from "../clock/clock.ts";
import type { SimulatedNode } from "../node/node.ts";
import {
  onEtcdHealthy,
  onEtcdStopped,
  onEtcdUnhealthy,
} from "../node/readiness.ts";
import { setHealth } from "../node/system_services.ts";
import { memberIdText } from "./database.ts";
import { EtcdError } from "./etcd_error.ts";

/** How many checks may fail in a row while members elect a leader. */
const patience = 75;

/** Checks the health of a server again and again. `checked`: called after every check. */
export async function watchHealth(
  node: SimulatedNode,
  signal: AbortSignal,
  checked: () => void,
): Promise<void> {
  const { changes, retryMs } = node.cluster.etcd.backend;
  let failures = 0;
  while (!signal.aborted) {
    const count = changes.count();
    // The next check is for what has changed meanwhile.
    const isHealthy = await check(node, signal);
    checked();
    failures = isHealthy ? 0 : failures + 1;
    if (isHealthy || retryMs === undefined) {
      await node.idle(changes.after(count, signal));
    } else {
      const pause = systemClock.sleep(retryMs, signal);
      const mayElect = failures < patience && await hasMajority(node);
      await (mayElect ? pause : node.idle(pause));
    }
  }
}

/** After a server has ended. */
export function reportEtcdExit(node: SimulatedNode): void {
  setHealth(node, "etcd", false, "service not running");
  onEtcdStopped(node);
}

async function check(
  node: SimulatedNode,
  signal: AbortSignal,
): Promise<boolean> {
  const { client } = node.etcd.server;
  try {
    await client.checkQuorum(signal);
    const memberId = await client.memberId();
    if (signal.aborted) return false;
    report(node, true, "");
    onEtcdHealthy(node, memberIdText(memberId));
    return true;
  } catch (error) {
    if (!(error instanceof EtcdError)) throw error;
    if (signal.aborted) return false;
    report(node, false, error.message);
    onEtcdUnhealthy(node);
    return false;
  }
}

/** Reports a result that is another one than before. */
function report(node: SimulatedNode, healthy: boolean, message: string): void {
  const before = node.boot.services.get("etcd")?.health;
  const isSame = before && !before.unknown && before.healthy === healthy &&
    before.message === message;
  if (!isSame) setHealth(node, "etcd", healthy, message);
}

/** Whether most of those that have data run, so that there will be a leader. */
async function hasMajority({ cluster }: SimulatedNode): Promise<boolean> {
  const controlPlanes = cluster.nodes.filter(({ identity }) =>
    identity.machineType === "controlplane"
  );
  const withData = await Promise.all(
    controlPlanes.map(({ etcd }) => etcd.server.hasData()),
  );
  const running = controlPlanes.filter(({ etcd }) => etcd.server.isRunning());
  return running.length * 2 > withData.filter(Boolean).length;
}
