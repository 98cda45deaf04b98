/** What follows when the machines of a cluster run: configuration, bootstrap, health, kubeconfig. */

import { ConnectError, RpcError, TimeoutError } from "../../../errors.ts";
import { parseKubeconfig } from "../../../config/kubeconfig/content.ts";
import { changeKubeconfig } from "../../../config/kubeconfig/file.ts";
import { mergeKubeconfig } from "../../../config/kubeconfig/merge.ts";
import { renderKubeconfig } from "../../../config/kubeconfig/render.ts";
import type {
  ClusterAccess,
  Progress,
  QemuSpec,
} from "../../../provisioners/mod.ts";
import { decodePrivateKey, encodePkcs8 } from "../../../pki/private_key.ts";
import type { Nodes } from "../../../transport/node/nodes.ts";
import { openNodes } from "../../../transport/node/open_nodes.ts";
import { pause } from "../../../transport/pause.ts";
import { readKubeconfig } from "../../../workflows/kubernetes/kubeconfig.ts";
import { sendConfiguration } from "../../../workflows/configuration/send.ts";
import { healthFromHere } from "../../../workflows/checks/health/from_here.ts";
import type { Context } from "../../_kit/mod.ts";

/** What is to be done. */
export interface BringUp {
  /** Machines, control planes first. */
  readonly machines: QemuSpec["plan"]["machines"];
  /** Configurations that are applied to machines in maintenance mode; omitted, they have theirs already. */
  readonly configurations?: ReadonlyMap<string, string> | undefined;
  /** How clients reach the cluster. */
  readonly access: ClusterAccess;
  /** True to wait until the cluster is healthy. */
  readonly waits: boolean;
  /** True when nodes need not be ready in Kubernetes. */
  readonly isReadinessSkipped: boolean;
  /** True to merge the kubeconfig. */
  readonly mergesKubeconfig: boolean;
  /** Longest time for all of it, in milliseconds. */
  readonly timeoutMs: number;
}

/** What of the running command the work needs. */
export type BringUpContext = Pick<
  Context<unknown>,
  "signal" | "environment" | "note"
>;

/** Does it, phase by phase. Throws `TimeoutError` with what it was still waiting for. */
export async function bringUp(
  what: BringUp,
  progress: Progress,
  context: BringUpContext,
): Promise<void> {
  const { machines, configurations, timeoutMs, access } = what;
  const deadline = performance.now() + timeoutMs;
  const controlplanes = machines.filter(({ type }) => type !== "worker");
  if (configurations !== undefined) {
    await progress.phase("applying configurations", async () => {
      for (const { name, ips: [ip = ""] } of machines) {
        const text = configurations.get(name) ?? "";
        await applied(ip, text, deadline, context);
        progress.node(name, "configured");
      }
    });
  }
  const first = lowest(controlplanes.flatMap(({ ips }) => ips.slice(0, 1)));
  await progress.phase(
    "waiting for the node API",
    () =>
      until("the node API", deadline, context, async () => {
        // Connections of an attempt that failed are not tried again.
        const nodes = opened([first], access, context);
        try {
          const { machine } = await nodes.at(first);
          await machine.version({}, { deadlineMs: 10_000 });
        } finally {
          nodes.close();
        }
      }),
  );
  const nodes = opened([first], access, context);
  try {
    if (controlplanes[0]?.type !== "init") {
      await progress.phase(
        "bootstrapping etcd",
        () =>
          until("etcd", deadline, context, () => bootstrapped(nodes, first)),
      );
    }
    if (what.waits) {
      await progress.phase(
        "waiting until the cluster is healthy",
        () => healthy(nodes, what, deadline, context),
      );
    }
    if (what.mergesKubeconfig) {
      await progress.phase(
        "merging the kubeconfig",
        () => merged(nodes, first, context),
      );
    }
  } finally {
    nodes.close();
  }
}

/** The peer's choice: lowest as text. */
function lowest(addresses: readonly string[]): string {
  return [...addresses].sort()[0] ?? "";
}

function opened(
  names: readonly string[],
  { endpoints, ca, crt, key }: ClusterAccess,
  { signal, environment, note }: BringUpContext,
): Nodes {
  return openNodes({
    endpoints,
    nodes: names,
    // The runtime knows no labels but its own, and nodes label keys by their algorithm.
    identity: { ca, crt, key: encodePkcs8(decodePrivateKey(key)) },
    nodeTimeoutMs: 10_000,
    env: environment.env,
    signal,
    note,
  });
}

async function applied(
  address: string,
  text: string,
  deadline: number,
  context: BringUpContext,
): Promise<void> {
  const nodes = openNodes({
    endpoints: [],
    nodes: [address],
    identity: {},
    // Machines that were just made, on a network of their own.
    maintenance: { fingerprints: [] },
    nodeTimeoutMs: 10_000,
    env: context.environment.env,
    signal: context.signal,
    note: context.note,
  });
  try {
    await until(
      `the maintenance API of ${address}`,
      deadline,
      context,
      async () => {
        await sendConfiguration(await nodes.unconfigured(address), {
          text,
          mode: 0,
        });
      },
    );
  } finally {
    nodes.close();
  }
}

async function bootstrapped(nodes: Nodes, address: string): Promise<void> {
  const { machine } = await nodes.at(address);
  try {
    await machine.bootstrap({}, { deadlineMs: 30_000 });
  } catch (error) {
    // An earlier try got through, and its answer did not.
    if (error instanceof RpcError && error.code === "ALREADY_EXISTS") return;
    throw error;
  }
}

async function healthy(
  nodes: Nodes,
  { machines, isReadinessSkipped }: BringUp,
  deadline: number,
  { signal, environment }: BringUpContext,
): Promise<void> {
  const addresses = (isWorker: boolean) =>
    machines.filter(({ type }) => (type === "worker") === isWorker)
      .flatMap(({ ips }) => ips.slice(0, 1));
  const rows = healthFromHere({
    nodes,
    named: { controlPlanes: addresses(false), workers: addresses(true) },
    endpoint: undefined,
    wait: {
      timeoutMs: Math.max(0, deadline - performance.now()),
      clock: { now: () => environment.now().getTime(), sleep: pause },
      report() {},
    },
    signal,
  });
  for await (const { check } of rows) {
    if (isReadinessSkipped && check === lastBeforeReadiness) return;
  }
}

/** What is waited for before nodes are to be ready. */
const lastBeforeReadiness = "all control plane components to be ready";

async function merged(
  nodes: Nodes,
  address: string,
  { environment, signal }: BringUpContext,
): Promise<void> {
  const text = await readKubeconfig(await nodes.at(address));
  const incoming = parseKubeconfig(text, `kubeconfig of ${address}`);
  const path = environment.env("KUBECONFIG") ||
    `${environment.env("HOME")}/.kube/config`;
  await changeKubeconfig(path, async (before) => {
    const { config } = await mergeKubeconfig(
      parseKubeconfig(before, path),
      incoming,
      {
        onConflict: "rename",
        setCurrent: true,
      },
    );
    return renderKubeconfig(before, path, config);
  }, { signal });
}

/** Tries again and again: machines that boot refuse, are silent, or are not ready. */
async function until(
  what: string,
  deadline: number,
  { signal }: BringUpContext,
  attempt: () => Promise<void>,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      const isPassing = error instanceof ConnectError ||
        error instanceof RpcError ||
        error instanceof TimeoutError;
      if (!isPassing) throw error;
      if (performance.now() < deadline) {
        await pause(500, signal);
        continue;
      }
      throw new TimeoutError(
        `Timed out waiting for ${what}: ${error.message}`,
        {
          hint:
            "Increase --wait-timeout, or look at the consoles of the nodes in the state folder",
          cause: error,
        },
      );
    }
  }
}
