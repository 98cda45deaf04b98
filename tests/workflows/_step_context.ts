/** Steps of runbooks against simulated clusters, without an engine. */

import { ConfigError } from "../../errors.ts";
import { pause } from "../../lib/pause.ts";
import { openNodes } from "../../transport/node/open_nodes.ts";
import {
  type RouteOptions,
  toEndpoints,
} from "../../transport/connect/node_route.ts";
import type {
  ClusterOptions,
  RunningCluster,
} from "../../simulator/cluster/cluster.ts";
import { withCluster } from "../_cluster.ts";
import { withFolder } from "../_folder.ts";
import {
  createRunCredentials,
  type RunCredentials,
} from "../../workflows/ca/run_credentials.ts";
import { restoreCredentials } from "../../workflows/ca/credentials.ts";
import { modules } from "../../workflows/modules/all.ts";
import type { Verdict } from "../../workflows/operations/operation.ts";
import type { Json } from "../../lib/json.ts";
import { viewCluster } from "../../workflows/operations/cluster_view.ts";
import { createArbiter } from "../../workflows/operations/arbiter.ts";
import {
  type OperationEvent,
  runOnNode,
} from "../../workflows/operations/run.ts";
import type { StepContext } from "../../workflows/modules/module.ts";
import { type OpenVault, openVault } from "../../workflows/vault/vault.ts";

/** Values of a step. */
export type Values = Readonly<Record<string, Json>>;

/** A process that runs steps. */
export interface Runner {
  readonly vault: OpenVault;
  readonly ring: RunCredentials;
  readonly folder: string;
  /** A context; any endpoint without a node. */
  readonly context: (node?: string) => Promise<StepContext>;
  /** Runs a module that reads; gives its output. */
  readonly read: (
    name: string,
    input?: Values,
    node?: string,
  ) => Promise<Values>;
  /** Runs a module that changes a node. */
  readonly change: (
    name: string,
    input: Values,
    node: string,
  ) => Promise<Verdict>;
  /** The same on all nodes, control planes first. */
  readonly changeAll: (
    name: string,
    input: Values,
  ) => Promise<readonly string[]>;
}

export interface RunnerOptions {
  readonly cluster: RunningCluster;
  /** Folder of the run, kept from process to process. */
  readonly folder: string;
}

/**
 * Runs steps as one process does; another one continues in the same folder.
 *
 * @param options Cluster and folder.
 * @param test What the process does.
 */
export async function withRunner(
  { cluster, folder }: RunnerOptions,
  test: (runner: Runner) => Promise<void>,
): Promise<void> {
  const ended = new AbortController();
  const { signal } = ended;
  const vault = await openVault(folder, {
    passphrase: "correct horse",
    rounds: 10,
  });
  const reach: RouteOptions = { env: () => undefined, note() {} };
  const names = cluster.nodes.map(({ identity }) => identity.address);
  const ring = createRunCredentials({
    home: { name: cluster.name, endpoints: cluster.endpoints, nodes: names },
    identity: cluster.adminIdentity,
    connect: (endpoints, identity) => toEndpoints(endpoints, identity, reach),
    vault,
    findEndpoint: (node) =>
      Promise.resolve(cluster.listening.get(node) ?? node),
    signal,
  });
  await restoreCredentials(ring, vault);
  const nodes = openNodes({
    ...reach,
    endpoints: cluster.endpoints,
    nodes: names,
    identity: {},
    transport: ring.transport,
    nodeTimeoutMs: 10_000,
    signal,
  });
  const clock = { now: () => Date.now(), sleep: pause };
  using view = viewCluster(nodes, clock);
  const rest: Omit<StepContext, "node" | "client"> = {
    cluster: view,
    signal,
    clock,
    run: "20260102-test",
    artifacts: folder,
    vault,
    ring,
    overridden: () => Promise.resolve(false),
    group: (name) => Promise.resolve(name === "self" ? [] : names),
    note() {},
  };

  async function context(node = ""): Promise<StepContext> {
    const client = node === "" ? await nodes.endpoint() : await nodes.at(node);
    return { node, client, ...rest };
  }

  async function read(name: string, input: Values = {}, node = "") {
    const module = moduleNamed(name);
    if (module.kind !== "read") throw new TypeError(`${name} changes`);
    const steps = module.read(await context(node), input);
    while (true) {
      // One after the other, to the end.
      const { done, value } = await steps.next();
      if (done) return value;
    }
  }

  async function change(name: string, input: Values, node: string) {
    const module = moduleNamed(name);
    if (module.kind !== "change") throw new TypeError(`${name} reads`);
    const there = await context(node);
    const prepared = await module.prepare(there, input);
    if ("output" in prepared) throw new TypeError(`${name} does nothing`);
    const run = runOnNode(there, {
      operation: prepared.operation ?? module.operation,
      input: prepared.input,
      arbiter: createArbiter({
        ...view,
        allowed: new Set(["etcd-quorum"]),
        clock,
      }),
      journal: { id: "", append: () => Promise.resolve() },
      wait: true,
      interrupted: signal,
    });
    let last: OperationEvent | undefined;
    for await (const event of run) last = event;
    if (last === undefined || !("verdict" in last)) throw new Error("no end");
    return last.verdict;
  }

  async function changeAll(name: string, input: Values) {
    const outcomes: string[] = [];
    for (const node of names) {
      const { outcome, reason } = await change(name, input, node);
      outcomes.push(
        outcome === "done" || outcome === "unchanged"
          ? outcome
          : `${outcome}: ${reason}`,
      );
    }
    return outcomes;
  }

  try {
    await test({ vault, ring, folder, context, read, change, changeAll });
  } finally {
    ended.abort();
    nodes.close();
    ring.transport.close();
  }
}

/** Runs a test on a cluster, with an empty folder and a runner. */
export async function onCluster(
  options: ClusterOptions,
  test: (runner: Runner, cluster: RunningCluster) => Promise<void>,
): Promise<void> {
  await withFolder({}, async (folder) => {
    await withCluster(options, async (cluster) => {
      await withRunner({ cluster, folder }, (runner) => test(runner, cluster));
    });
  });
}

function moduleNamed(name: string) {
  const module = modules.get(name);
  if (module !== undefined) return module;
  throw new ConfigError(`There is no module "${name}"`);
}
