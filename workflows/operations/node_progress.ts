/** How far many nodes are: one line for each on a terminal, plain lines elsewhere. */

import type { Outcome } from "./operation.ts";
import type { OperationEvent } from "./run.ts";
import { drawing } from "../../terminal/drawing.ts";
import { paintedParts, progressParts } from "../../terminal/tone.ts";
import { elapsed, nodeRows, versionText } from "./node_rows.ts";
import type { Environment, Size } from "../../terminal/environment.ts";

interface NodeProgress {
  readonly node: string;
  /** `pending` before anything was reported about it, `running`, or how it ended. */
  readonly state: "pending" | "running" | Outcome;
  readonly text: string;
  /** When it was reported first, in milliseconds since 1970. */
  readonly startedAt?: number;
  /** When it ended, in milliseconds since 1970. */
  readonly ended?: number;
}

/** What is known of a node beside what happens on it. */
export interface NodeAbout {
  /** Role: `controlplane` or `worker`. */
  readonly role?: string;
  /** Version before the operation. */
  readonly version?: string;
}

/** How far all nodes are, by name, in the order they were named. */
type Progressing = ReadonlyMap<string, NodeProgress>;

/** The state before anything happens. `names`: the nodes. */
export function pending(names: readonly string[]): Progressing {
  return new Map(
    names.map((node) => [node, { node, state: "pending", text: "" }]),
  );
}

/**
 * The state after something has happened on a node.
 *
 * @param before The state before.
 * @param event What happened.
 * @param now When, in milliseconds since 1970.
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
 * Draws the state: a row for each node, the worst first where there is no room for all.
 *
 * @param state How far the nodes are.
 * @param size What there is room for; one row stays free for the cursor.
 * @param now The present, in milliseconds since 1970.
 * @param about What is known of the nodes, by name; default nothing.
 * @returns Lines without their ends, none longer than the terminal is wide.
 */
export function render(
  state: Progressing,
  { columns, rows }: Size,
  now: number,
  about: ReadonlyMap<string, NodeAbout> = new Map(),
): readonly string[] {
  const all = [...state.values()].map((one) => ({
    ...one,
    role: about.get(one.node)?.role,
    version: changed(about.get(one.node)?.version, one),
    ...one.startedAt === undefined
      ? {}
      : { time: elapsed(one.startedAt, one.ended ?? now) },
  }));
  return nodeRows(all, { columns, rows: Math.max(1, rows - 1) });
}

/** Version before, and the one that a node says it runs in the end. */
function changed(
  before: string | undefined,
  { ended, text }: NodeProgress,
): string {
  if (before === undefined || ended === undefined) return before ?? "";
  const [now] = /\bv\d+\.\d+\.\d+[\w.+-]*/.exec(text) ?? [];
  return versionText(before, now);
}

/** Where progress is shown. */
export interface ProgressPlace {
  readonly note: (text: string) => void;
  /** Lines at the bottom of the terminal, and time. */
  readonly environment:
    & Pick<Environment, "live" | "now">
    & Partial<Pick<Environment, "stdout">>;
}

interface ProgressDisplay {
  /** Takes what happens on a node. */
  readonly take: (event: OperationEvent) => void;
  /** Shows the last state, which stays unless the results follow on the same terminal. */
  readonly end: () => Promise<void>;
  /** True when the results follow there: they are to come after the end. */
  readonly isReplaced: boolean;
}

/**
 * Shows how far nodes are: on a terminal until the end, elsewhere as one line with its time (UTC) for each change.
 *
 * @param place Where it is shown.
 * @param names The nodes.
 * @param about What is known of the nodes, by name; it may be found out meanwhile. Default nothing.
 * @param wait Waits between two drawings; ends early when the signal aborts. Default: a timer.
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
