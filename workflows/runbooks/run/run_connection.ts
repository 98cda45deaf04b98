/** The cluster of a run, over every credential the run has. */

import { UsageError } from "../../../errors.ts";
import { openKubernetes } from "../../kubernetes/client.ts";
import {
  onlyRead,
  readingKubernetes,
  readingOnly,
} from "../plan/reading_only.ts";
import type { OperationClock } from "../../operations/operation.ts";
import { createRing, type RunRing } from "../../ca/ring.ts";
import {
  type ClusterView,
  memberNamed,
  viewCluster,
} from "../../operations/cluster_view.ts";
import { createFence, type Fence } from "../lock/fence.ts";
import type { RunCluster } from "../engine/engine_options.ts";
import type { Vault } from "../module.ts";
import { reachCluster } from "./run_engine.ts";
import type { Nodes } from "../../../transport/node/nodes.ts";
import { openNodes } from "../../../transport/node/open_nodes.ts";
import { toEndpoints } from "../../../transport/connect/node_route.ts";
import type { Context } from "../../../commands/_kit/command.ts";
import { contextOptions } from "../../../commands/_kit/session.ts";

/** The cluster of a run. */
export interface Link extends Disposable {
  /** Name of the context. */
  readonly context: string;
  /** Client certificate of the context, PEM; absent where a proxy needs none. */
  readonly crt: string | undefined;
  /** Credentials. */
  readonly ring: RunRing;
  /** The nodes, over the credentials. */
  readonly nodes: Nodes;
  /** The cluster of these nodes. */
  readonly view: ClusterView;
  /** The cluster as the engine reaches it. */
  readonly cluster: RunCluster;
  /** What every change of the cluster passes. */
  readonly fence: Fence;
}

/** What a link is made with. */
export interface LinkOptions {
  /** Flags and environment; its nodes are not used. */
  readonly context: Pick<Context<unknown>, "globals" | "environment" | "note">;
  /** Where the keys of later credentials are; asked when one is needed. */
  readonly vault: Pick<Vault, "read">;
  /** Time. */
  readonly clock: OperationClock;
  /** Ends all calls. */
  readonly signal: AbortSignal;
  /** True when nothing may be changed: what could do so is refused before it is sent; default false. */
  readonly onlyReads?: boolean;
}

/**
 * Opens the cluster of the chosen context; nothing is sent.
 *
 * @param options Context, credentials and time.
 * @throws {UsageError} If nodes are selected: who takes that for a limit must not find out later.
 */
export async function openLink(
  { context, vault, clock, signal, onlyReads = false }: LinkOptions,
): Promise<Link> {
  const { globals, environment, note } = context;
  if (globals.nodes.length > 0) {
    throw new UsageError("Flag --nodes does not fit: runs are about clusters", {
      hint: "Choose nodes with --limit, and the cluster with --context",
    });
  }
  const fence = createFence();
  const { leave } = fence;
  const options = {
    ...await contextOptions({ globals, environment, note, signal }),
    leave,
  };
  const { endpoints, identity } = options;
  const known: { view?: ClusterView } = {};
  const ring = createRing({
    home: { name: options.context, endpoints, nodes: options.nodes },
    identity,
    connect(to, shown) {
      const transport = toEndpoints(to, shown, options);
      return onlyReads ? readingOnly(transport) : transport;
    },
    vault,
    placeOf: async (node) =>
      memberNamed(await known.view?.members() ?? [], node)?.address ?? node,
    signal,
    unaryMs: options.nodeTimeoutMs,
  });
  const opened = openNodes({ ...options, transport: ring.transport });
  const nodes = onlyReads ? { ...opened, unconfigured: refused } : opened;
  const view = viewCluster(
    nodes,
    clock,
    (access) => {
      const kubernetes = openKubernetes(access);
      return onlyReads
        ? readingKubernetes(kubernetes)
        : fence.kubernetes(kubernetes);
    },
  );
  known.view = view;
  return {
    context: options.context,
    crt: identity.crt,
    ring,
    nodes,
    view,
    fence,
    cluster: reachCluster(nodes, view, clock, signal),
    [Symbol.dispose]() {
      view[Symbol.dispose]();
      nodes.close();
    },
  };
}

function refused(address: string): Promise<never> {
  return Promise.reject(onlyRead(`ask ${address} past the endpoints`));
}

/**
 * What ends the calls of a run: the end of the command; and, until the run takes signals over, an interrupt.
 *
 * @param context Of the command.
 * @param ended Aborts when the command has ended.
 */
export function signalOf(
  { claimSignals, signal }: Pick<Context<unknown>, "claimSignals" | "signal">,
  ended: AbortSignal,
): AbortSignal {
  // Where signals cannot be taken over, an interrupt is the wish to stop, and calls go on.
  return claimSignals === undefined ? ended : AbortSignal.any([ended, signal]);
}
