/** Follows streams of all nodes across lost connections and reboots, as rows. */

import { readBootId } from "../../transport/stream/boot_id.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import {
  type FollowOptions,
  type Gap,
  gapLine,
  type Item,
} from "../../transport/stream/follow.ts";
import { isDown } from "../../transport/connect/status.ts";
import type { Context, Format } from "../_kit/mod.ts";

/** A possible gap in the rows of a node. */
export interface GapRow {
  readonly node: string;
  /** Cause; also "connection lost" if unknown. */
  readonly gap: "node rebooted" | "connection lost";
  /** Time the stream broke, ISO 8601. */
  readonly since: string;
  /** Time it resumed, ISO 8601. */
  readonly until: string;
}

/** Options of a follower of one node. */
export interface FollowerOptions extends FollowOptions {
  readonly signal: AbortSignal;
}

/** A stream to follow, and its conversion to rows. */
export interface FollowSpec<T, Row> {
  readonly follow: (
    client: NodeClient,
    options: FollowerOptions,
  ) => AsyncIterable<Item<T> | Gap>;
  /** Converts an item to a row; errors count as those of the node. */
  readonly row: (node: string, item: T) => Row;
  /** Requested format: structured formats have gaps as rows. */
  readonly output: Format;
  /** True to wait for nodes that are down at the start; by default they fail. */
  readonly awaits?: boolean;
}

/**
 * Follows all nodes.
 *
 * Lost connections, gaps and failed nodes are reported on standard error immediately.
 *
 * @param context Nodes, clock and standard error.
 */
export async function* following<T, Row>(
  { nodes, note, environment }: Pick<
    Context<unknown>,
    "nodes" | "note" | "environment"
  >,
  { follow, row, output, awaits = false }: FollowSpec<T, Row>,
): AsyncGenerator<Row | GapRow> {
  const alone = (await nodes.names()).length === 1;
  const rows = nodes.stream(async function* (client) {
    const { node, signal } = client;
    const report = (text: string) => note(`--- ${node}: ${text} ---`);
    let isFirst = true;
    const lost = (error: unknown) =>
      report(
        isFirst && error !== undefined
          ? `${formatMessage(error)}; waiting for it`
          : "connection lost, reconnecting",
      );
    const bootId = readBootId(client);
    try {
      for await (
        const seen of follow(client, {
          bootId,
          lost,
          now: environment.now,
          signal,
          ...awaits && { awaits: isDown },
        })
      ) {
        isFirst = false;
        if (seen.kind === "item") yield row(node, seen.item);
        else {
          note(gapLine(node, seen));
          if (hasGaps(output)) yield gapRow(node, seen);
        }
      }
    } catch (error) {
      // The other nodes may continue for hours before the final report.
      if (!alone && !signal.aborted) {
        report(`no longer following: ${formatMessage(error)}`);
      }
      throw error;
    }
  });
  for await (const { value } of rows) yield value;
}

/** Templates are written for rows; gaps lack their fields. */
function hasGaps({ kind }: Format): boolean {
  return kind !== "table" && kind !== "jsonpath";
}

function gapRow(node: string, { reason, since, at }: Gap): GapRow {
  return {
    node,
    gap: reason,
    since: since.toISOString(),
    until: at.toISOString(),
  };
}

function formatMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
