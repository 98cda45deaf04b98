/** Brings running machines up to a usable cluster: configured, etcd bootstrapped, healthy, kubeconfig merged. */

import { changeKubeconfig } from "../../config/kubeconfig/file.ts";
import { parseKubeconfig } from "../../config/kubeconfig/content.ts";
import { mergeKubeconfig } from "../../config/kubeconfig/merge.ts";
import { renderKubeconfig } from "../../config/kubeconfig/render.ts";
import {
  ConnectError,
  OsctlError,
  RpcError,
  TimeoutError,
} from "../../errors.ts";
import { decodePrivateKey, encodePkcs8 } from "../../pki/private_key.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { openNodes } from "../../transport/node/open_nodes.ts";
import type { Context, Environment } from "../_kit/mod.ts";
import { pause } from "../../lib/pause.ts";
import { healthFromHere } from "../../workflows/checks/health/client_health.ts";
import { readKubeconfig } from "../../workflows/kubernetes/kubeconfig.ts";
import { sendConfiguration } from "../../workflows/configuration/send.ts";
import { beginEtcd } from "../../workflows/operations/etcd/bootstrap.ts";

interface StartProgress {
  /** Runs one phase, which may report progress. */
  readonly phase: <T>(
    name: string,
    work: (say: (text: string) => void) => Promise<T>,
  ) => Promise<T>;
  /** Reports an event of a node: `configured`. */
  readonly node: (name: string, what: string) => void;
}

interface StartContext extends Pick<Context<unknown>, "note" | "signal"> {
  readonly environment: Pick<Environment, "env" | "now">;
}

/** Settings of the start. */
export interface KubernetesStart {
  /** Access to the nodes: `host:port` of each endpoint, node addresses, PEM of CA, certificate and key. */
  readonly access: Readonly<
    & Record<"endpoints" | "nodes", readonly string[]>
    & Record<"ca" | "crt" | "key", string>
  >;
  /** Addresses of the control planes; the first is bootstrapped and provides the kubeconfig. */
  readonly controlPlanes: readonly string[];
  readonly workers: readonly string[];
  /** URL of the Kubernetes API from this machine; omitted for the one the nodes use. */
  readonly kubernetes?: string;
  /** Timeout for the whole start, in milliseconds. */
  readonly waitMs: number;
  /** Location of the console output: a command, or files. */
  readonly consoles: string;
  /** True if the nodes bootstrap themselves. */
  readonly isBootstrapped?: boolean;
  /** False to skip waiting for healthy nodes. */
  readonly healthy?: boolean;
  /** True if nodes do not have to become Ready in Kubernetes. */
  readonly isReadinessSkipped?: boolean;
  /** File to merge the kubeconfig into; omitted for none. */
  readonly kubeconfig?: string;
  readonly progress: StartProgress;
}

/** Maximum polling interval, in milliseconds: local nodes are fast. */
const lookMs = 500;

/** Starts Kubernetes, resuming after an earlier interruption. Throws `TimeoutError` if it takes too long. */
export async function startKubernetes(
  start: KubernetesStart,
  { environment: { env, now: date }, note, signal }: StartContext,
): Promise<void> {
  const { access, controlPlanes, workers, kubernetes, progress } = start;
  const { ca, crt, key } = access;
  const first = controlPlanes[0] ?? "";
  const open = () =>
    openNodes({
      endpoints: access.endpoints,
      nodes: access.nodes,
      // The runtime only reads keys with its own PEM label, and nodes label
      // keys by algorithm.
      identity: { ca, crt, key: encodePkcs8(decodePrivateKey(key)) },
      nodeTimeoutMs: 20_000,
      env,
      note,
      signal,
    });
  const now = () => date().getTime();
  const clock = {
    now,
    sleep: (ms: number, until?: AbortSignal) =>
      pause(Math.min(ms, lookMs), until ?? signal),
  };
  const { waitMs, consoles } = start;
  const startedAt = now();
  const hint = lateHint(consoles);
  await progress.phase(
    "waiting for the node API",
    () =>
      untilAnswering(
        `node ${first}`,
        { startedAt, waitMs, hint, signal, ...clock },
        async () => {
          // A failed connection is not retried.
          const nodes = open();
          try {
            const { machine } = await nodes.at(first);
            await machine.version({}, { deadlineMs: 2_000 });
          } finally {
            nodes.close();
          }
        },
      ),
  );
  const nodes = open();
  try {
    const client = await nodes.at(first);
    if (!start.isBootstrapped) {
      await progress.phase("bootstrapping etcd", async (say) => {
        const context = { client, clock, signal };
        for await (const { text } of beginEtcd(context, false, false)) {
          say(text);
          if (now() - startedAt < waitMs) continue;
          throw new TimeoutError(
            `Timed out after ${
              waitMs / 1_000
            } s waiting to bootstrap etcd: ${text}`,
            { hint },
          );
        }
      });
    }
    if (start.healthy !== false) {
      await progress.phase("waiting for healthy nodes", async (say) => {
        const report = (check: string, missing: string) =>
          say(`${check}: ${missing}`);
        const wait = { timeoutMs: waitMs, startedAt, clock, report };
        const named = { controlPlanes, workers };
        const endpoint = kubernetes;
        const { isReadinessSkipped = false } = start;
        const checks = { nodes, named, endpoint, wait, signal };
        const rows = healthFromHere({ ...checks, isReadinessSkipped });
        try {
          for await (const { check, state } of rows) say(`${check}: ${state}`);
        } catch (error) {
          if (!(error instanceof TimeoutError)) throw error;
          throw new TimeoutError(error.message, { hint, cause: error.cause });
        }
      });
    }
    const { kubeconfig } = start;
    if (kubeconfig !== undefined) {
      await progress.phase(
        `merging kubeconfig into ${kubeconfig}`,
        () => addKubeconfig(client, { path: kubeconfig, kubernetes, signal }),
      );
    }
  } finally {
    nodes.close();
  }
}

interface FirstConfigurations {
  readonly machines: readonly {
    readonly name: string;
    readonly waiting: string;
    /** Its address after configuration. */
    readonly configured: string;
  }[];
  /** Configurations by node name, YAML. */
  readonly configurations: ReadonlyMap<string, string>;
  /** Timeout for all nodes, in milliseconds. */
  readonly waitMs: number;
  /** Location of the console output: a command, or files. */
  readonly consoles: string;
  /** Access to nodes that are already configured. */
  readonly access: KubernetesStart["access"];
  /** True if an earlier start was interrupted, so nodes may be configured already. */
  readonly isContinued: boolean;
  readonly progress: StartProgress;
}

/** Sends each node its configuration once it answers. Throws `TimeoutError` if that takes too long. */
export async function configureMachines(
  { machines, configurations, waitMs, consoles, access, isContinued, progress }:
    FirstConfigurations,
  context: StartContext,
): Promise<void> {
  const { environment: { env, now: date }, note, signal } = context;
  const now = () => date().getTime();
  const sleep = () => pause(lookMs, signal);
  const hint = lateHint(consoles);
  const wait = { now, sleep, signal, hint, startedAt: now(), waitMs };
  await progress.phase("applying configurations", async () => {
    for (const { name, waiting: ip, configured } of machines) {
      const text = configurations.get(name) ?? "";
      // The response may be lost when the maintenance API stops.
      let isSent = isContinued;
      await untilAnswering(`the maintenance API of ${ip}`, wait, async () => {
        if (isSent && await isConfigured(configured, access, context)) return;
        const nodes = openNodes({
          endpoints: [],
          nodes: [ip],
          identity: {},
          // On their own network.
          maintenance: { fingerprints: [] },
          nodeTimeoutMs: 10_000,
          env,
          note,
          signal,
        });
        try {
          const node = await nodes.unconfigured(ip);
          await sendConfiguration(node, { text, mode: 0 });
        } catch (error) {
          isSent ||= mayBeSent(error);
          throw error;
        } finally {
          nodes.close();
        }
      });
      progress.node(name, "configured");
    }
  });
}

/** Reports whether a failed call may have reached the node: not if the connection failed. */
export function mayBeSent(error: unknown): boolean {
  return !(error instanceof ConnectError) || error.reason === "lost";
}

/** Reports whether a node answers clients with the keys of the cluster. */
async function isConfigured(
  ip: string,
  { ca, crt, key }: KubernetesStart["access"],
  { environment: { env }, note, signal }: StartContext,
): Promise<boolean> {
  const nodes = openNodes({
    endpoints: [ip],
    nodes: [ip],
    identity: { ca, crt, key: encodePkcs8(decodePrivateKey(key)) },
    nodeTimeoutMs: 2_000,
    env,
    note,
    signal,
  });
  try {
    const { machine } = await nodes.at(ip);
    await machine.version({}, { deadlineMs: 2_000 });
    return true;
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    return false;
  } finally {
    nodes.close();
  }
}

/** Next step when nodes exceed the timeout. */
function lateHint(consoles: string): string {
  return `Increase --wait-timeout, or read what the nodes print: ${consoles}`;
}

/** Retries while a machine boots. Throws `TimeoutError` if that takes too long. */
async function untilAnswering(
  who: string,
  { now, sleep, startedAt, waitMs, hint, signal }: {
    readonly now: () => number;
    readonly sleep: (ms: number) => Promise<void>;
    /** Start time in milliseconds. */
    readonly startedAt: number;
    readonly waitMs: number;
    readonly hint: string;
    readonly signal: AbortSignal;
  },
  attempt: () => Promise<void>,
): Promise<void> {
  while (true) {
    try {
      return await attempt();
    } catch (error) {
      const isWorth = error instanceof ConnectError ||
        error instanceof TimeoutError ||
        error instanceof RpcError &&
          ["UNAVAILABLE", "DEADLINE_EXCEEDED"].includes(error.code);
      if (!isWorth || signal.aborted) throw error;
      if (now() - startedAt > waitMs) {
        throw new TimeoutError(
          `${who} did not answer within ${waitMs / 1_000} s: ${error.message}`,
          { hint, cause: error },
        );
      }
    }
    await sleep(100);
  }
}

async function addKubeconfig(
  client: NodeClient,
  { path, kubernetes, signal }: {
    readonly path: string;
    readonly kubernetes: string | undefined;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const own = await readKubeconfig(client);
  const text = kubernetes === undefined
    ? own
    : own.replace(/^(\s*server:\s*).*$/m, `$1${kubernetes}`);
  const incoming = parseKubeconfig(text, `kubeconfig of ${client.node}`);
  await changeKubeconfig(path, async (before) => {
    const { config } = await mergeKubeconfig(
      parseKubeconfig(before, path),
      incoming,
      { onConflict: "rename", setCurrent: true },
    );
    return renderKubeconfig(before || text, path, config);
  }, { signal });
}
