/** Checks the node API behind an open connection, its clock, and other nodes. */

import { domain } from "../../talos.ts";
import {
  ConnectError,
  NodesError,
  OsctlError,
  RpcError,
} from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { ownRole } from "../../transport/node/node_role.ts";
import type { Nodes } from "../../transport/node/nodes.ts";
import { failedStage } from "./check_endpoint.ts";
import { type ConnectTarget, nextStep } from "./next_step.ts";
import { passedRow, type StageRow } from "./row.ts";
import { single } from "../../transport/call/reply.ts";

/** Tolerated clock skew, in milliseconds; certificates are backdated by an hour. */
const tolerableSkewMs = 60_000;

/** An endpoint that accepts calls. */
export interface ApiCheck {
  readonly target: ConnectTarget;
  readonly nodes: Nodes;
  /** False if no nodes are selected. */
  readonly hasNodes: boolean;
  readonly now: () => Date;
  /** Monotonic clock, in milliseconds. */
  readonly clock: () => number;
}

/**
 * Makes the first calls.
 *
 * @returns Rows `api`, `clock` and `nodes`, the last once for each failed node; only `api` in maintenance mode.
 */
export async function* apiRows(check: ApiCheck): AsyncGenerator<StageRow> {
  const endpoint = await check.nodes.endpoint();
  if (check.target.maintenance) return yield await resourceRow(endpoint, check);
  const answer = await versionRow(endpoint, check);
  yield answer;
  if (answer.result === "failed") return;
  yield await clockRow(endpoint, check);
  const rows = await nodeRows(check);
  yield* rows;
  const isKnown = rows.some(({ result }) => result === "failed");
  if (!isKnown && await ownRole(endpoint) === "worker") {
    yield workerRow("warning", check.target);
  }
}

/** A worker only answers calls to itself. */
function workerRow(
  result: "warning" | "failed",
  target: ConnectTarget,
): StageRow {
  return {
    stage: "nodes",
    result,
    detail: "it is a worker, which forwards no calls to other nodes",
    cause: "no-forwarding",
    next: nextStep("no-forwarding", target),
  };
}

function isUnforwarded(error: unknown): boolean {
  return error instanceof ConnectError && error.reason === "no-forwarding";
}

async function versionRow(
  { machine }: NodeClient,
  { target, clock }: ApiCheck,
): Promise<StageRow> {
  const start = clock();
  try {
    const { messages } = await machine.version({});
    const version = single(messages).version?.tag ?? "an unknown version";
    return passedRow(
      "api",
      `${version} answers in ${Math.round(clock() - start)} ms`,
    );
  } catch (error) {
    return refusedCall(error, target);
  }
}

/** In maintenance mode no node offers `Version`, but every node lists resources. */
async function resourceRow(
  { state }: NodeClient,
  { target, clock }: ApiCheck,
): Promise<StageRow> {
  const start = clock();
  try {
    const list = state.list({
      namespace: "runtime",
      type: `MachineStatuses.runtime.${domain}`,
      options: {},
    });
    await Array.fromAsync(list);
    const tookMs = Math.round(clock() - start);
    return passedRow("api", `the maintenance API answers in ${tookMs} ms`);
  } catch (error) {
    return failedStage("api", error, target);
  }
}

function refusedCall(error: unknown, target: ConnectTarget): StageRow {
  const row = failedStage("api", error, target);
  if (!isRefusal(error)) return row;
  const { message: detail } = error;
  const next =
    "Use a context with the role os:reader or higher: osctl config contexts";
  return { stage: "api", result: "warning", detail, next };
}

function isRefusal(error: unknown): error is RpcError {
  return error instanceof RpcError && error.code === "PERMISSION_DENIED";
}

async function clockRow(
  { time }: NodeClient,
  { target, now }: ApiCheck,
): Promise<StageRow> {
  const start = now().getTime();
  try {
    const { messages } = await time.time({});
    const { localtime } = messages[0] ?? {};
    if (localtime === undefined) {
      return passedRow("clock", "the node does not report its time", "skipped");
    }
    // Assumes the node read its clock halfway through the call.
    const here = (start + now().getTime()) / 2;
    const there = Number(localtime.seconds) * 1000 + localtime.nanos / 1e6;
    return skewRow(there - here, target);
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    return passedRow("clock", `unknown: ${error.message}`, "skipped");
  }
}

function skewRow(skewMs: number, { host }: ConnectTarget): StageRow {
  const seconds = (Math.abs(skewMs) / 1000).toFixed(1);
  const order = skewMs < 0 ? "behind" : "ahead of";
  const detail = `the node's clock is ${seconds} s ${order} this machine's`;
  if (Math.abs(skewMs) <= tolerableSkewMs) return passedRow("clock", detail);
  const next = `Check which clock is wrong with: osctl time --nodes ${host}`;
  return { stage: "clock", result: "warning", detail, next };
}

async function nodeRows(
  { nodes, hasNodes, target }: ApiCheck,
): Promise<readonly StageRow[]> {
  if (!hasNodes) {
    return [passedRow("nodes", "no nodes are selected", "skipped")];
  }
  let answers = 0;
  const failed = new Map<string, unknown>();
  try {
    for await (const _ of nodes.call(({ machine }) => machine.version({}))) {
      answers++;
    }
  } catch (error) {
    if (!(error instanceof NodesError)) {
      return [failedStage("nodes", error, target)];
    }
    for (const [node, cause] of error.failures) {
      if (isRefusal(cause)) answers++;
      else failed.set(node, cause);
    }
  }
  const count = answers + failed.size;
  const counts = passedRow("nodes", `${answers} of ${count} nodes answer`);
  const isWorker = [...failed.values()].some(isUnforwarded);
  return [
    ...answers > 0 ? [counts] : [],
    ...isWorker ? [workerRow("failed", target)] : [],
    ...[...failed].filter(([, error]) => !isUnforwarded(error)).map((
      [node, error],
    ) => nodeRow(node, error, target)),
  ];
}

function nodeRow(
  node: string,
  error: unknown,
  target: ConnectTarget,
): StageRow {
  const row = failedStage("nodes", error, { ...target, host: node });
  const detail = `${node}: ${row.detail}`;
  if (row.result !== "failed") return { ...row, detail };
  // Hints at this very command are left out.
  const isKnown = row.cause !== undefined ||
    error instanceof OsctlError && error.hint !== undefined &&
      !error.hint.includes("diagnose it with: osctl doctor connect");
  const next = !isKnown
    ? `Check whether the node is up and a member of the cluster with: osctl get members --nodes ${target.host}`
    : row.next;
  return { ...row, detail, next };
}
