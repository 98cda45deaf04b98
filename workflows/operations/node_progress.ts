/** Progress of many nodes: one row each on a terminal, plain lines elsewhere. */

import type { Outcome } from "./operation.ts";
import type { OperationEvent } from "./run.ts";
import { drawing } from "../../terminal/drawing.ts";
import { paintedParts, progressParts } from "../../terminal/tone.ts";
import { formatElapsed, nodeRows, versionText } from "./node_rows.ts";
import type { Environment, Size } from "../../terminal/environment.ts";

interface NodeProgress {
  readonly node: string;
  /** `pending` before its first event, `running`, or its outcome. */
  readonly state: "pending" | "running" | Outcome;
  readonly text: string;
  /** Time of its first event, in milliseconds since 1970. */
  readonly startedAt?: number;
  /** Time of its end, in milliseconds since 1970. */
  readonly ended?: number;
}

/** Facts of a node for its row. */
export interface NodeAbout {
  /** Host name, instead of an address. */
  readonly hostname?: string;
  /** Role: `controlplane` or `worker`. */
  readonly role?: string;
  /** Version before the operation. */
  readonly version?: string;
}

/** Progress of all nodes by name, in the given order. */
type Progressing = ReadonlyMap<string, NodeProgress>;

/** Initial state. `names`: the nodes. */
export function pending(names: readonly string[]): Progressing {
  return new Map(
    names.map((node) => [node, { node, state: "pending", text: "" }]),
  );
}

/**
 * Next state after an event of a node.
 *
 * @param before Previous state.
 * @param event The event.
 * @param now Its time, in milliseconds since 1970.
 */
export function after(
  before: Progressing,
  event: OperationEvent,
  now: number,
): Progressing {
  const { node } = event;
  const startedAt = before.get(node)?.startedAt ?? now;
  const next: NodeProgress = "progress" in event
    ? { node, state: "running", text: event.progress, startedAt }
    : {
      node,
      state: event.verdict.outcome,
      text: event.verdict.reason,
      startedAt,
      ended: now,
    };
  return new Map(before).set(node, next);
}

/**
 * Renders the state: a row for each node, failures first when there is no room for all.
 *
 * @param state Progress of the nodes.
 * @param size Available room; one row stays free for the cursor.
 * @param now Current time, in milliseconds since 1970.
 * @param about Facts of the nodes by name; default none.
 * @returns Lines without their ends, no longer than the terminal width.
 */
export function render(
  state: Progressing,
  { columns, rows }: Size,
  now: number,
  about: ReadonlyMap<string, NodeAbout> = new Map(),
): readonly string[] {
  const all = [...state.values()].map((one) => ({
    ...one,
    node: about.get(one.node)?.hostname || one.node,
    role: about.get(one.node)?.role,
    version: nextText(about.get(one.node)?.version, one),
    ...one.startedAt === undefined
      ? {}
      : { time: formatElapsed(one.startedAt, one.ended ?? now) },
  }));
  return nodeRows(all, { columns, rows: Math.max(1, rows - 1) });
}

/** Previous version, and the version the node reports at the end. */
function nextText(
  before: string | undefined,
  { ended, text }: NodeProgress,
): string {
  if (before === undefined || ended === undefined) return before ?? "";
  const [now] = /\bv\d+\.\d+\.\d+[\w.+-]*/.exec(text) ?? [];
  return versionText(before, now);
}

/** Output of the progress. */
export interface ProgressPlace {
  readonly note: (text: string) => void;
  /** Live lines at the bottom of the terminal, and the clock. */
  readonly environment:
    & Pick<Environment, "live" | "now">
    & Partial<Pick<Environment, "stdout">>;
}

interface ProgressDisplay {
  readonly take: (event: OperationEvent) => void;
  /** Shows the final state, which stays unless the results follow on the same terminal. */
  readonly end: () => Promise<void>;
  /** True when the results follow on the same terminal after the end. */
  readonly isReplaced: boolean;
}

/**
 * Shows the progress of nodes: live on a terminal, otherwise one line with its time (UTC) for each change.
 *
 * @param place Output.
 * @param names The nodes.
 * @param about Facts of the nodes by name; may be filled in later. Default none.
 * @param wait Waits between two renderings; returns early when the signal aborts. Default: a timer.
 */
export function progressDisplay(
  { note, environment: { live, now, stdout } }: ProgressPlace,
  names: readonly string[],
  about: ReadonlyMap<string, NodeAbout> = new Map(),
  wait?: (ms: number, signal: AbortSignal) => Promise<void>,
): ProgressDisplay {
  if (live === undefined) {
    const last = new Map<string, string>();
    return {
      take(event) {
        if (!("progress" in event)) return;
        const { node, progress } = event;
        if (last.get(node) === progress) return;
        last.set(node, progress);
        note(`${now().toISOString().slice(11, 19)} ${node}: ${progress}`);
      },
      end: () => Promise.resolve(),
      isReplaced: false,
    };
  }
  const isReplaced = stdout?.terminal ?? false;
  let state = pending(names);
  const lines = (size: Size) =>
    render(state, size, now().getTime(), about)
      .map((line) => paintedParts(progressParts(line), live.paint));
  const { end } = drawing(live, lines, wait);
  return {
    take(event) {
      state = after(state, event, now().getTime());
    },
    end: () => end(isReplaced),
    isReplaced,
  };
}
