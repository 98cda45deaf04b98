/** Steps of a run as its events tell them: each step on each node once, with what became of it. */

import type { RunEvent } from "../event.ts";
import { spanText } from "./span.ts";

type InstanceState =
  | "done"
  | "failed"
  | "skipped"
  /** It is not known whether it happened. */
  | "indoubt"
  /** It has not ended yet. */
  | "open";

/** A step on a node, or on the cluster. */
export interface Instance {
  readonly path: string;
  /** Node; absent outside of fan-outs. */
  readonly node?: string;
  readonly state: InstanceState;
  /** When it began, or was first heard of; ISO 8601. */
  readonly startedAt: string;
  /** When it ended; absent while it is open or in doubt. */
  readonly ended?: string;
  readonly code?: string;
  /** Why it failed, was skipped or is in doubt. */
  readonly message?: string;
  /** Path of the step it failed at, when that is one inside of it. */
  readonly inner?: string;
  /** Waits, attempts and what was reported on the way, one line each. */
  readonly reported: readonly string[];
}

/** A node in a fan-out. */
export interface Passage {
  readonly path: string;
  readonly node: string;
  /** `queued`, `entered`, or how it ended. */
  readonly state: string;
  readonly code?: string;
  readonly message?: string;
}

/** What a stream of events adds up to. */
export interface RunAccount {
  /** Steps in the order they were first heard of. */
  readonly instances: readonly Instance[];
  /** Nodes of fan-outs in the order they were queued. */
  readonly passages: readonly Passage[];
  /** Name of the runbook; `run` when it was not reported. */
  readonly runbook: string;
  /** Name of the cluster; empty when it was not reported. */
  readonly cluster: string;
  /** How the run ended; empty while it continues. */
  readonly state: string;
}

/** Adds up a stream of events; those of several processes of one run may follow each other. */
export function accountOf(events: Iterable<RunEvent>): RunAccount {
  const instances = new Map<string, Instance>();
  const passages = new Map<string, Passage>();
  let [runbook, cluster, state] = ["run", "", ""];
  for (const event of events) {
    const key = keyOf(event);
    if (event.type.startsWith("step.")) {
      instances.set(key, afterStep(instances.get(key), event));
    } else if (event.type.startsWith("node.")) {
      passages.set(key, afterNode(event));
    } else {
      runbook = textOf(event, "runbook") ?? runbook;
      cluster = textOf(event, "cluster") ?? cluster;
      if (event.type === "run.ended") state = textOf(event, "state") ?? state;
    }
  }
  return {
    instances: [...instances.values()],
    passages: [...passages.values()],
    runbook,
    cluster,
    state,
  };
}

/** Leaves out steps that hold others, since those speak for them; but not those that failed themselves. */
export function leavesOf(
  instances: readonly Instance[],
): readonly Instance[] {
  const holders = new Set(
    instances.flatMap(({ path }) => {
      const parts = path.split("/");
      return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/"));
    }),
  );
  return instances.filter(({ path, state, inner }) =>
    !holders.has(path) || state === "failed" && inner === undefined
  );
}

/**
 * Reads a text of an event's data.
 *
 * @param name Name under `data`.
 * @returns `undefined` when there is none of that name, or it is not text.
 */
export function textOf(event: RunEvent, name: string): string | undefined {
  const value = event.data[name];
  return typeof value === "string" ? value : undefined;
}

/**
 * Reads a span of an event's data.
 *
 * @param name Name under `data` of a number of milliseconds.
 * @returns The span for people; `undefined` when there is none of that name.
 */
export function spanOf(event: RunEvent, name: string): string | undefined {
  const value = event.data[name];
  return typeof value === "number" ? spanText(value) : undefined;
}

/** Says what a step or a run waits for. `event`: `step.waiting` or `run.waiting`. */
export function waitingText(event: RunEvent): string {
  const reason = textOf(event, "reason") ?? "";
  return reason.startsWith("waiting") ? reason : `waiting: ${reason}`;
}

function keyOf({ path = "", node = "" }: RunEvent): string {
  return `${path}\n${node}`;
}

function afterStep(before: Instance | undefined, event: RunEvent): Instance {
  const known = before ?? firstOf(event);
  const { reported } = known;
  const { ts } = event;
  const add = (line: string) =>
    reported.at(-1) === line ? reported : [...reported, line];
  switch (event.type) {
    case "step.done":
      return { ...bare(known), state: "done", ended: ts };
    case "step.failed":
      return { ...bare(known), state: "failed", ended: ts, ...whyOf(event) };
    case "step.skipped":
      return { ...bare(known), state: "skipped", ended: ts, ...whyOf(event) };
    case "step.in-doubt":
      return { ...bare(known), state: "indoubt", ...whyOf(event) };
    case "step.waiting":
      return { ...known, reported: add(waitingText(event)) };
    case "step.progress": {
      const text = textOf(event, "reason");
      return text === undefined ? known : { ...known, reported: add(text) };
    }
    case "step.retry": {
      const line = `attempt ${event.attempt ?? 1} failed: ${
        [textOf(event, "code"), textOf(event, "message")]
          .filter((part) => part !== undefined).join(": ")
      }`;
      return { ...known, reported: add(line) };
    }
    default:
      // It begins, maybe anew.
      return { ...bare(known), state: "open" };
  }
}

function firstOf({ path = "", node, ts }: RunEvent): Instance {
  const where = node === undefined ? {} : { node };
  return { path, ...where, state: "open", startedAt: ts, reported: [] };
}

function bare({ path, node, state, startedAt, reported }: Instance): Instance {
  return {
    path,
    ...node === undefined ? {} : { node },
    state,
    startedAt,
    reported,
  };
}

function whyOf(
  event: RunEvent,
): Pick<Instance, "code" | "message" | "inner"> {
  const code = textOf(event, "code");
  const step = textOf(event, "step");
  const message = textOf(event, "message") ?? textOf(event, "reason");
  return {
    ...code === undefined ? {} : { code },
    ...message === undefined ? {} : { message },
    ...step === undefined || step === event.path ? {} : { inner: step },
  };
}

function afterNode(event: RunEvent): Passage {
  const { path = "", node = "", type } = event;
  const state = type === "node.ended"
    ? textOf(event, "state") ?? "done"
    : type.slice("node.".length);
  return { path, node, state, ...whyOf(event) };
}
