/** Runs an operation on many nodes: concurrency, order, timeouts, and results. */

import {
  type ExitStatus,
  exitStatus,
  NodesError,
  OsctlError,
  OutcomeError,
} from "../../errors.ts";
import type { Environment } from "../../terminal/environment.ts";
import { single } from "../../transport/call/reply.ts";
import { memberNamed } from "../../transport/node/members.ts";
import { fanOut } from "../../transport/node/fan_out.ts";
import type { Nodes } from "../../transport/node/nodes.ts";
import { pause } from "../../lib/pause.ts";
import type { Allowance } from "../etcd/quorum.ts";
import { createArbiter } from "./arbiter.ts";
import type { OutcomeRow } from "./change.ts";
import type { ClusterView } from "./cluster_view.ts";
import { withEvidence } from "./failure_evidence.ts";
import { type Journal, type OperationHistory, unsettled } from "./journal.ts";
import {
  barrier,
  lastEndpointNode,
  type NodeBudget,
  nodeBudget,
  parseNodes,
} from "./node_order.ts";
import {
  type NodeAbout,
  progressDisplay,
  type ProgressPlace,
} from "./node_progress.ts";
import type { AnyOperation, Outcome, Verdict } from "./operation.ts";
import type { OperationClock } from "../../lib/clock.ts";
import type { Json } from "../../lib/json.ts";
import { type OperationEvent, runOnNode } from "./run.ts";
import { readBootId } from "../../transport/stream/boot_id.ts";
import { changeClient, type NodeClient } from "../../transport/call/client.ts";
import { followLines } from "../../transport/stream/follow_lines.ts";
import { withoutTime } from "../../transport/stream/kernel_messages.ts";
import { payload } from "../../transport/call/payload.ts";
import { gapLine } from "../../transport/stream/follow.ts";

interface RunPlace extends ProgressPlace {
  readonly nodes: Nodes;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
}

/** Operation, nodes, and limits. */
export interface NodesRun {
  readonly operation: AnyOperation;
  readonly input: Json;
  /** Operation with less effect, for nodes that need no more. */
  readonly chooseOperation?: ((node: string) => AnyOperation) | undefined;
  /** Timeout for each node from its start, if there is none for all, in milliseconds; default 30 minutes. */
  readonly nodeTimeoutMs?: number | undefined;
  readonly names: readonly string[];
  readonly endpoints: readonly string[];
  /** Journal of intents and outcomes. */
  readonly journal: Journal;
  readonly view: ClusterView;
  readonly clock: OperationClock;
  /** False to finish once the nodes have accepted it. */
  readonly wait: boolean;
  /** Total timeout for all nodes, in milliseconds; `undefined` for none. */
  readonly timeout: number | undefined;
  /** True to wait and show the kernel log of each node; default false. */
  readonly debug?: boolean;
  /** Rules the user has overridden. */
  readonly allow: readonly string[];
  /** Maximum number or share of unavailable nodes, for rolling operations; default one. */
  readonly maxUnavailable?: string | undefined;
  /** Rejects while a run has locked the cluster; absent where the lock is overridden. */
  readonly unlocked?: (() => Promise<void>) | undefined;
  /** Journals of an earlier run. */
  readonly history?: ReadonlyMap<string, OperationHistory>;
}

/**
 * Runs an operation on nodes until it has finished on each.
 *
 * @param context Nodes, and output of progress.
 * @param options The operation.
 * @returns Rows of successful nodes, as they finish.
 * @throws {NodesError} Names the others.
 */
export async function* runOnNodes(
  context: RunPlace,
  options: NodesRun,
): AsyncGenerator<OutcomeRow> {
  const { nodes, signal: interrupted } = context;
  const { names, journal, view, clock, allow, history, endpoints, ...rest } =
    options;
  const { chooseOperation = () => options.operation, debug = false } = options;
  const { timeout, nodeTimeoutMs = nodeWaitMs, unlocked } = options;
  // The flag accepts nothing else.
  const allowed = new Set(allow as readonly Allowance[]);
  const arbiter = createArbiter({ ...view, allowed, clock, unlocked });
  const late = timeout === undefined ? [] : [AbortSignal.timeout(timeout)];
  const { members } = view;
  const last = await lastEndpointNode({ names, endpoints, members });
  const first = barrier(names.length - 1);
  const { maxUnavailable = "1" } = options;
  const budget = nodeBudget(parseNodes(maxUnavailable, names.length));
  let isLeft = false;
  const events = fanOut<OperationEvent>({
    nodes: names,
    atOnce: Infinity,
    signal: interrupted,
    async *open(node, ended) {
      const known = history?.get(node);
      const operation = chooseOperation(node);
      const { isFull, enter, leave } = operation.rolling ? budget : unlimited;
      const waiting = AbortSignal.any([ended, ...late]);
      try {
        // Reads the last logs also after the timeout.
        const witness = await nodes.at(node);
        if (node === last) {
          yield {
            node,
            progress: "waiting: the other nodes are reached through this one",
          };
          await first.wait(waiting);
        }
        if (isFull()) yield { node, progress: "waiting for its turn" };
        const verdict = await enter(waiting);
        if (verdict !== undefined) {
          yield { node, verdict, untouched: true };
          return;
        }
        const signal = timeout === undefined
          ? AbortSignal.any([ended, AbortSignal.timeout(nodeTimeoutMs)])
          : waiting;
        const client = await nodes.at(node, signal);
        const run = runOnNode({ node, client, cluster: view, signal, clock }, {
          ...rest,
          wait: rest.wait || debug,
          operation,
          arbiter,
          journal,
          interrupted,
          history: known,
        });
        const reported = withEvidence(run, witness, context.note);
        const all = debug
          ? withKernelLog(reported, witness, context)
          : reported;
        let isWell = false;
        try {
          for await (const event of all) {
            yield event;
            if (!("verdict" in event)) continue;
            const { outcome } = event.verdict;
            isWell = findStatus(outcome) === undefined ||
              event.untouched === true;
            isLeft ||= unsettled.has(outcome);
          }
        } finally {
          leave(isWell);
        }
      } finally {
        first.pass();
      }
    },
  });
  const about = aboutNodes(context, { ...options, view });
  try {
    yield* outcomes(context, events, names, about.found);
  } finally {
    await about.end();
    // An interrupted operation is not finished, and can be resumed.
    if (!interrupted.aborted) await journal.append({ type: "end" });
    if (interrupted.aborted || isLeft) noteResume(context, journal.id);
  }
}

interface FoundAbout {
  /** Known facts, by name. */
  readonly found: ReadonlyMap<string, NodeAbout>;
  readonly end: () => Promise<void>;
}

/** Reads host names, roles and versions in the background for the progress rows, for disruptive operations. */
function aboutNodes(
  { nodes, environment }: RunPlace,
  { operation, names, endpoints, view }: NodesRun,
): FoundAbout {
  const found = new Map<string, NodeAbout>();
  const isShown = environment.live !== undefined && endpoints.length > 0 &&
    operation.effect === "disrupt";
  if (!isShown) return { found, end: () => Promise.resolve() };
  const stop = new AbortController();
  const asked = Promise.allSettled([
    view.members().then((members) => {
      for (const node of names) {
        const member = memberNamed(members, node);
        if (member === undefined) continue;
        const role = member.controlPlane ? "controlplane" : "worker";
        const { hostname } = member;
        found.set(node, { ...found.get(node), hostname, role });
      }
    }),
    ...names.map(async (node) => {
      const client = await nodes.at(node, stop.signal);
      const version = single((await client.machine.version({})).messages)
        .version?.tag;
      if (version === undefined) return;
      found.set(node, { ...found.get(node), version });
    }),
  ]);
  return {
    found,
    async end() {
      stop.abort();
      await asked;
    },
  };
}

/** Default timeout for each node, in milliseconds. */
export const nodeWaitMs = 30 * 60_000;

/** For nodes that are not disrupted. */
const unlimited: NodeBudget = {
  isFull: () => false,
  enter: () => Promise.resolve(undefined),
  leave() {},
};

function noteResume(
  { note }: Pick<RunPlace, "note">,
  id: string,
): void {
  if (id !== "") note(`Resume with: osctl operation resume ${id}`);
}

/**
 * Shows progress, and separates successes from failures.
 *
 * @param place Output of progress.
 * @param events Events of the nodes.
 * @param names The nodes.
 * @param about Facts of the nodes by name; default none.
 * @throws {NodesError} Names failed nodes.
 */
export async function* outcomes(
  place: ProgressPlace,
  events: AsyncIterable<{ readonly value: OperationEvent }>,
  names: readonly string[],
  about?: ReadonlyMap<string, NodeAbout>,
): AsyncGenerator<OutcomeRow> {
  const failures = new Map<string, unknown>();
  const display = progressDisplay(place, names, about);
  const rows: OutcomeRow[] = [];
  try {
    for await (const { value: event } of events) {
      display.take(event);
      if ("progress" in event) continue;
      const { node, verdict } = event;
      const failure = toFailure(verdict);
      if (failure !== undefined) failures.set(node, failure);
      // Next to its row it would be repeated.
      else if (display.isReplaced) rows.push({ node, ...verdict });
      else yield { node, ...verdict };
    }
  } finally {
    await display.end();
  }
  yield* rows;
  if (failures.size > 0) throw new NodesError(failures, names.length);
}

const statuses: Readonly<Record<Outcome, ExitStatus | undefined>> = {
  done: undefined,
  unchanged: undefined,
  accepted: undefined,
  "rolled-back": exitStatus.failed,
  "never-returned": exitStatus.timeout,
  "never-rebooted": exitStatus.timeout,
  "timed-out": exitStatus.timeout,
  failed: exitStatus.failed,
  refused: exitStatus.refused,
  "in-doubt": exitStatus.refused,
};

/** Exit status of an outcome; `undefined` for a success. */
function findStatus(outcome: Outcome): ExitStatus | undefined {
  return statuses[outcome];
}

function toFailure(
  { outcome, reason, code, hint }: Verdict,
): OutcomeError | undefined {
  const status = code === "lease-lost"
    ? exitStatus.locked
    : findStatus(outcome);
  return status === undefined
    ? undefined
    : new OutcomeError(outcome, reason, status, { code, hint });
}

/** Clock of the environment. */
export function makeClock({ now }: Pick<Environment, "now">): OperationClock {
  return { now: () => now().getTime(), sleep: pause };
}

/** Maximum wait for the log before the operation starts without it, in milliseconds. */
const patienceMs = 2_000;

/**
 * Passes on events, and shows the kernel log meanwhile: new lines only, after a reboot from the first one.
 *
 * @param events Events of a node; lazy.
 * @param client Client of the node.
 * @param place Output, and clock.
 */
export async function* withKernelLog(
  events: AsyncIterable<OperationEvent>,
  client: NodeClient,
  place: ProgressPlace,
): AsyncGenerator<OperationEvent> {
  const ended = new AbortController();
  const found = new AbortController();
  const signal = AbortSignal.any([client.signal, ended.signal]);
  const shown = show(
    changeClient(client, { signal }),
    place,
    () => found.abort(),
  );
  try {
    // Otherwise the first lines would count as old ones.
    await pause(patienceMs, AbortSignal.any([client.signal, found.signal]));
    yield* events;
  } finally {
    ended.abort();
    await shown;
  }
}

async function show(
  client: NodeClient,
  { note, environment: { now } }: ProgressPlace,
  found: () => void,
): Promise<void> {
  const { node, machine, signal } = client;
  const seen = followLines({
    async *read({ follow, signal }) {
      yield* payload(machine.dmesg({ follow }, { signal }));
      if (!follow) found();
    },
    last: 0,
    lineKey: withoutTime,
    bootId: readBootId(client),
    now,
    signal,
  });
  try {
    for await (const one of seen) {
      note(one.kind === "gap" ? gapLine(node, one) : `${node}: ${one.item}`);
    }
  } catch (error) {
    // The operation continues without it.
    if (!(error instanceof OsctlError)) throw error;
    if (signal.aborted) return;
    note(
      `--- ${node}: no longer following the kernel log: ${error.message} ---`,
    );
  } finally {
    found();
  }
}
