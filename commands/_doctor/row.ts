/** Results of a connection check, one row per stage. */

import { type ConnectCause, ConnectError, OsctlError } from "../../errors.ts";
import { formatCount } from "../../lib/text/count.ts";

/** Stages of a connection, in the order they are checked. */
export type ConnectStage =
  | "context"
  | "client"
  | "dns"
  | "proxy"
  | "tcp"
  | "tls"
  | "mode"
  | "ca"
  | "validity"
  | "usage"
  | "name"
  | "login"
  | "api"
  | "role"
  | "clock"
  | "nodes";

/** A stage and its result. */
export type StageRow =
  | {
    readonly stage: ConnectStage;
    /** `skipped`: not applicable. */
    readonly result: "ok" | "skipped";
    /** Finding; lower case first, no period. */
    readonly detail: string;
  }
  | {
    readonly stage: ConnectStage;
    /** `warning`: works, but maybe not for long or not for everything. */
    readonly result: "warning" | "failed";
    /** Finding; lower case first, no period. */
    readonly detail: string;
    /** Cause; `undefined` if the connection works and only a call failed. */
    readonly cause?: ConnectCause | undefined;
    readonly next: string;
  };

/** A stage of the connection to one endpoint. */
export type ConnectRow = StageRow & {
  /** `host:port`; empty for rows about all endpoints. */
  readonly endpoint: string;
};

/** Row of a stage that passed or does not apply. `result`: default `ok`. */
export function passedRow(
  stage: ConnectStage,
  detail: string,
  result: "ok" | "skipped" = "ok",
): StageRow {
  return { stage, result, detail };
}

type FailedRow = ConnectRow & { readonly result: "warning" | "failed" };

/**
 * Summarizes the rows.
 *
 * @param endpoints Number of checked endpoints.
 * @returns The first failure of the endpoint that got furthest, or the node that no endpoint reaches; failures of all
 * endpoints come first; `undefined` if nothing failed.
 */
export function findVerdict(
  rows: readonly ConnectRow[],
  endpoints: number,
): OsctlError | undefined {
  const failed = rows.filter(isFailed);
  const shared = failed.find(({ endpoint }) => endpoint === "");
  if (shared) return toError(shared, shared.detail);
  const first = firstOfEach(failed);
  const [furthest] = first.toSorted((one, other) =>
    progress(rows, other) - progress(rows, one)
  );
  if (furthest === undefined) return undefined;
  if (first.length === endpoints && first.every(isOfNode)) {
    const names = new Set(failed.map(({ detail }) => detail.split(": ")[0]));
    const others = names.size === 1
      ? ""
      : `; ${formatCount(names.size - 1, "other node")} failed as well`;
    return toError(furthest, `Node ${furthest.detail}${others}`);
  }
  const { endpoint, stage, detail } = furthest;
  const many = endpoints === 1
    ? ""
    : `${first.length} of ${endpoints} endpoints failed; `;
  return toError(
    furthest,
    `${
      many === "" ? "Endpoint" : `${many}endpoint`
    } "${endpoint}" failed at stage ${stage}: ${detail}`,
  );
}

/** True if the endpoint works, and a node behind it does not. */
function isOfNode({ stage, cause }: FailedRow): boolean {
  return stage === "nodes" && cause !== "no-forwarding";
}

function isFailed(row: ConnectRow): row is FailedRow {
  return row.result === "failed";
}

function firstOfEach(failed: readonly FailedRow[]): readonly FailedRow[] {
  const first = new Map<string, FailedRow>();
  for (const row of failed) {
    if (!first.has(row.endpoint)) first.set(row.endpoint, row);
  }
  return [...first.values()];
}

function progress(rows: readonly ConnectRow[], failed: FailedRow): number {
  return rows.filter(({ endpoint }) => endpoint === failed.endpoint)
    .indexOf(failed);
}

function toError({ cause, next }: FailedRow, message: string): OsctlError {
  return cause === undefined
    ? new OsctlError(message, { hint: next })
    : new ConnectError(cause, message, { hint: next });
}
