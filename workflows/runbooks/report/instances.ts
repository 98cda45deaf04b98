/** Step instances of a run, from its events: each step on each node once, with its result. */

import type { EventOf, RunEvent } from "../event.ts";

type InstanceState =
  | "done"
  | "failed"
  | "skipped"
  /** The result is unknown. */
  | "indoubt"
  /** Not finished yet. */
  | "open";

/** A step on a node, or on the cluster. */
export interface Instance {
  readonly path: string;
  /** Node; absent outside fan-outs. */
  readonly node?: string;
  readonly state: InstanceState;
  /** Start, or was first reported; ISO 8601. */
  readonly startedAt: string;
  /** End; absent while it is open or in doubt. */
  readonly ended?: string;
  readonly code?: string;
  /** Reason why it failed, was skipped or is in doubt. */
  readonly message?: string;
  /** Path of the inner step at which it failed, if any. */
  readonly inner?: string;
  /** Waits, attempts and progress reports, one line each. */
  readonly reported: readonly string[];
}

/** A node in a fan-out. */
export interface NodeProgress {
  readonly path: string;
  readonly node: string;
  /** `queued`, `entered`, or its result. */
  readonly state: string;
  readonly code?: string;
  readonly message?: string;
}

/** Adds an event of a step. `instances`: by path and node; changed in place. */
export function takeStep(
  instances: Map<string, Instance>,
  event: RunEvent,
): void {
  if (!isOfStep(event)) return;
  const key = formatKey(event);
  instances.set(key, afterStep(instances.get(key), event));
}

/** Adds an event of a node in a fan-out. `passages`: by path and node; changed in place. */
export function takeNode(
  passages: Map<string, NodeProgress>,
  event: RunEvent,
): void {
  if (isOfNode(event)) passages.set(formatKey(event), afterNode(event));
}

/** An event of a step. */
export type StepEvent = Extract<RunEvent, { readonly type: `step.${string}` }>;
/** An event of a node in a fan-out. */
export type NodeEvent = Extract<RunEvent, { readonly type: `node.${string}` }>;

function isOfStep(event: RunEvent): event is StepEvent {
  return event.type.startsWith("step.");
}

/** Reports whether an event belongs to a node in a fan-out. */
export function isOfNode(event: RunEvent): event is NodeEvent {
  return event.type.startsWith("node.");
}

/** Omits steps that contain others, unless they failed themselves. */
export function listLeaves(
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

/** Formats the reason for waiting of a step or run. */
export function waitingText(
  { data: { reason } }: EventOf<"step.waiting" | "run.waiting">,
): string {
  return reason.startsWith("waiting") ? reason : `waiting: ${reason}`;
}

function formatKey({ path = "", node = "" }: RunEvent): string {
  return `${path}\n${node}`;
}

function afterStep(before: Instance | undefined, event: StepEvent): Instance {
  const known = before ?? startInstance(event);
  const { ts } = event;
  const reporting = (line: string | undefined) =>
    line === undefined || known.reported.at(-1) === line
      ? known
      : { ...known, reported: [...known.reported, line] };
  switch (event.type) {
    case "step.start":
      // It starts, or starts again; in another process it is timed anew.
      return {
        ...withoutHistory(known),
        state: "open",
        ...known.ended !== undefined && { startedAt: ts },
      };
    case "step.waiting":
      return reporting(waitingText(event));
    case "step.progress":
      return reporting(event.data.reason);
    case "step.retry": {
      const { attempt = 1, data: { code, message } } = event;
      return reporting(
        `attempt ${attempt} failed: ${joinParts(code, message)}`,
      );
    }
    case "step.done":
      // Another process only reports again what was done.
      return {
        ...withoutHistory(known),
        state: "done",
        ended: known.state === "done" ? known.ended ?? ts : ts,
      };
    case "step.failed":
      return {
        ...withoutHistory(known),
        state: "failed",
        ended: ts,
        ...findWhy(event),
      };
    case "step.skipped": {
      const message = event.data.reason;
      return { ...withoutHistory(known), state: "skipped", ended: ts, message };
    }
    case "step.in-doubt":
      return { ...withoutHistory(known), state: "indoubt", ...findWhy(event) };
  }
}

/** Reason of a failure, as far as known. */
export function joinParts(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(": ");
}

function startInstance({ path, node, ts }: StepEvent): Instance {
  const where = node === undefined ? {} : { node };
  return { path, ...where, state: "open", startedAt: ts, reported: [] };
}

/** Instance without its result. */
function withoutHistory(
  { path, node, state, startedAt, reported }: Instance,
): Instance {
  const where = node === undefined ? {} : { node };
  return { path, ...where, state, startedAt, reported };
}

function findWhy(
  { path, data: { code, message, step } }: EventOf<
    "step.failed" | "step.in-doubt" | "node.ended"
  >,
): Pick<Instance, "code" | "message" | "inner"> {
  return {
    code,
    message,
    ...step === undefined || step === path ? {} : { inner: step },
  };
}

function afterNode(event: NodeEvent): NodeProgress {
  const { path, node, type } = event;
  switch (type) {
    case "node.queued":
      return { path, node, state: "queued" };
    case "node.entered":
      return { path, node, state: "entered" };
    case "node.ended":
      return { path, node, state: event.data.state, ...findWhy(event) };
  }
}
