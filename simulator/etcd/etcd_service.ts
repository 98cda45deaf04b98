/** Lifecycle of the etcd service of a control plane. */

import { inRealTime, systemClock, untilAborted } from "../clock/clock.ts";
import { logLine, logStart, logStop } from "../node/logs.ts";
import type { SimulatedNode } from "../state/node.ts";
import {
  onEtcdHealthy,
  onEtcdStopped,
  onEtcdUnhealthy,
  refreshReadiness,
} from "../node/readiness.ts";
import {
  finishService,
  prepareService,
  reportService,
  runService,
  setHealth,
  terminateService,
} from "../node/system_services.ts";
import { memberIdText } from "./database.ts";
import type {
  EtcdExit,
  EtcdRestoreOptions,
  EtcdRun,
  InitialCluster,
} from "../state/etcd.ts";
import { EtcdError } from "./etcd_error.ts";
import { initialCluster, join, promote } from "./join.ts";
import { etcdCa } from "./member_access.ts";

/** Options for bootstrapping a cluster. Source: message `machine.BootstrapRequest`. */
interface BootstrapOptions extends EtcdRestoreOptions {
  /** True to restore the uploaded snapshot. */
  readonly recover: boolean;
}

/**
 * Starts the service; a running one is stopped first.
 *
 * @param bootstrap Bootstraps a new cluster; omitted, the node has data or joins others.
 */
export function startEtcd(
  node: SimulatedNode,
  bootstrap?: BootstrapOptions,
): void {
  const before = node.etcd.instance;
  before?.stop.abort();
  const stop = new AbortController();
  const { promise: startup, resolve: begin } = Promise.withResolvers<void>();
  const power = node.boot.power.signal;
  const signal = AbortSignal.any([power, stop.signal]);
  const service = { node, power, signal, begin };
  const ended = (async () => {
    await before?.ended;
    if (bootstrap) finishService(node, "etcd", "Bootstrap requested");
    if (!signal.aborted) await runEtcd(service, bootstrap);
    begin();
  })();
  node.etcd.instance = { stop, startup, ended };
  node.work(ended);
}

/** Stops the service, if there is one, and waits until it has finished. */
export async function stopEtcd(node: SimulatedNode): Promise<void> {
  const { instance } = node.etcd;
  instance?.stop.abort();
  await instance?.ended;
}

/** Waits until the service is healthy or finished. */
export async function untilEtcd(
  node: SimulatedNode,
  signal: AbortSignal,
): Promise<void> {
  // Ignore finished states from before this start.
  const before = new Set(node.boot.services.get("etcd")?.events);
  const isStopped = () => node.etcd.instance?.stop.signal.aborted;
  const isThere = () => {
    const service = node.boot.services.get("etcd");
    const isUp = service?.state === "Running" && service.health.healthy;
    return isUp ||
      service?.events.some((event) =>
        event.state === "Finished" && (isStopped() || !before.has(event))
      );
  };
  if (!isThere() && !signal.aborted) {
    refreshReadiness(node);
    node.etcd.onWait();
  }
  while (!isThere() && !signal.aborted) {
    // Every service change is an event.
    await node.idle(node.boot.events.waitFor(node.boot.events.end(), signal));
  }
}

interface Service {
  readonly node: SimulatedNode;
  readonly power: AbortSignal;
  /** Aborts when it is stopped or on power loss. */
  readonly signal: AbortSignal;
  /** Called when it is running and its health is known, or it is waiting for others. */
  readonly begin: () => void;
}

interface ServerData {
  /** Initial cluster; omitted if it has data. */
  readonly initial?: InitialCluster;
  /** ID of its member, a learner. */
  readonly learner?: bigint;
}

async function runEtcd(
  service: Service,
  bootstrap: BootstrapOptions | undefined,
): Promise<void> {
  const { node, power, signal } = service;
  prepareService(node, "etcd");
  try {
    const prepared = await prepare(service, bootstrap);
    while (!signal.aborted) {
      const run = await start(node, prepared);
      const end = await superviseServer(service, run, prepared.learner);
      if (end) await waitForRestart(service, end);
    }
  } catch (error) {
    // Errors of calls interrupted by the stop are ignored.
    if (!(error instanceof EtcdError)) throw error;
    if (!signal.aborted) return reportFailure(node, error);
  }
  if (!power.aborted) finishService(node, "etcd");
}

async function prepare(
  { node, signal, begin }: Service,
  bootstrap: BootstrapOptions | undefined,
): Promise<ServerData> {
  const { server } = node.etcd;
  const { changes } = node.cluster.etcd.backend;
  while (node.faults.has("etcd-stopped") && !signal.aborted) {
    begin();
    await node.idle(changes.after(changes.count(), signal));
  }
  if (bootstrap?.recover) {
    const restoring = server.restore(node.identity.hostname, bootstrap);
    await inRealTime(node.clock, restoring);
  }
  const { foundCluster } = node.etcd;
  node.etcd.foundCluster = undefined;
  if (await server.hasData()) return {};
  if (bootstrap) return { initial: await initialCluster([node]) };
  if (foundCluster) return { initial: await foundCluster() };
  return await join(node, signal, begin);
}

async function start(
  node: SimulatedNode,
  { initial }: ServerData,
): Promise<EtcdRun> {
  const { backend } = node.cluster.etcd;
  const run = await node.etcd.server.start({
    name: node.identity.hostname,
    issuer: await etcdCa(node),
    initial,
    log: (line) => logLine(node, "etcd", line),
  });
  if (backend.isSilent) logStart(node, "etcd");
  return run;
}

/** Supervises a server until it exits or is stopped; a stop is not reported as an exit. */
async function superviseServer(
  { node, power, signal, begin }: Service,
  run: EtcdRun,
  learner: bigint | undefined,
): Promise<EtcdExit | undefined> {
  if (power.aborted) return void await run.kill();
  runService(node, "etcd");
  const over = new AbortController();
  const lasting = AbortSignal.any([signal, over.signal]);
  const beside = [
    watchHealth(node, lasting, begin),
    ...(learner === undefined ? [] : [promote(node, learner, lasting)]),
  ];
  beside.forEach(node.work);
  const end = await node.idle(Promise.race([run.ended, untilAborted(signal)]));
  over.abort();
  if (power.aborted) await run.kill();
  else if (signal.aborted) {
    if (node.cluster.etcd.backend.isSilent) logStop(node, "etcd");
    terminateService(node, "etcd");
    reportEtcdExit(node);
    await run.stop();
  }
  await Promise.all(beside);
  return end ?? undefined;
}

/** Time between the exit of a server and its restart, in milliseconds. */
const restartMs = 5_000;

async function waitForRestart(
  { node, signal, begin }: Service,
  { status, lastLog, isFinal }: EtcdExit,
): Promise<void> {
  const runner = "Containerd(etcd)";
  const failure = `task "etcd" failed: exit code ${status} (last log ${
    JSON.stringify(lastLog)
  })`;
  reportService(
    node,
    "etcd",
    "Waiting",
    status === 0
      ? `Runner ${runner} exited without error, going to restart it`
      : `Error running ${runner}, going to restart forever: ${failure}`,
  );
  reportEtcdExit(node);
  begin();
  await node.idle(
    isFinal ? untilAborted(signal) : systemClock.sleep(restartMs, signal),
  );
}

function reportFailure(node: SimulatedNode, { message }: EtcdError): void {
  reportService(node, "etcd", "Failed", `Failed to run pre stage: ${message}`);
}

/** Limit of consecutive failed checks while members elect a leader. */
const patience = 75;

/** Checks the health of a server periodically. `checked`: called after every check. */
async function watchHealth(
  node: SimulatedNode,
  signal: AbortSignal,
  checked: () => void,
): Promise<void> {
  const { changes, retryMs } = node.cluster.etcd.backend;
  let failures = 0;
  while (!signal.aborted) {
    const count = changes.count();
    // The next check covers changes made meanwhile.
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

function reportEtcdExit(node: SimulatedNode): void {
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

/** Reports a health result if it changed. */
function report(node: SimulatedNode, healthy: boolean, message: string): void {
  const before = node.boot.services.get("etcd")?.health;
  const isSame = before && !before.unknown && before.healthy === healthy &&
    before.message === message;
  if (!isSame) setHealth(node, "etcd", healthy, message);
}

/** True if most servers with data are running, so that a leader will be elected. */
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
