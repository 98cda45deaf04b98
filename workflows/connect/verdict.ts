/** One cause and one next step out of all rows. */

import { ConnectError, OsctlError } from "../../errors.ts";
import type { ConnectRow } from "./row.ts";

type FailedRow = ConnectRow & { readonly result: "warning" | "failed" };

/**
 * Sums up.
 *
 * @param endpoints Number of endpoints that were looked at.
 * @returns What failed first on the way that got furthest; what concerns all endpoints comes before;
 * `undefined` when nothing failed.
 */
export function verdictOf(
  rows: readonly ConnectRow[],
  endpoints: number,
): OsctlError | undefined {
  const failed = rows.filter(isFailed);
  const shared = failed.find(({ endpoint }) => endpoint === "");
  if (shared) return errorOf(shared, shared.detail);
  const first = firstOfEach(failed);
  const [furthest] = first.toSorted((one, other) =>
    progress(rows, other) - progress(rows, one)
  );
  if (furthest === undefined) return undefined;
  const { endpoint, stage, detail } = furthest;
  const many = endpoints === 1
    ? ""
    : `${first.length} of ${endpoints} endpoints fail; `;
  return errorOf(
    furthest,
    `${
      many === "" ? "Endpoint" : `${many}endpoint`
    } "${endpoint}" fails at stage ${stage}: ${detail}`,
  );
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

/** How many stages were well before one failed. */
function progress(rows: readonly ConnectRow[], failed: FailedRow): number {
  return rows.filter(({ endpoint }) => endpoint === failed.endpoint)
    .indexOf(failed);
}

function errorOf({ cause, next }: FailedRow, message: string): OsctlError {
  return cause === undefined
    ? new OsctlError(message, { hint: next })
    : new ConnectError(cause, message, { hint: next });
}
