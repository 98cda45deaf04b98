/** How far each node is, as the events of a run tell it. */

import type { EventFold, RunEvent } from "../event.ts";
import { textOf } from "./instances.ts";

/** How far one node is. */
export interface NodeShown {
  /** The node. */
  readonly node: string;
  /** Path of the last fan-out that named it. */
  readonly path: string;
  /** `queued`, `running`, `waiting`, or how it ended. */
  readonly state: string;
  /** Id of the step it is at, or failed at; empty before the first. */
  readonly step: string;
  /** Reason for waiting, or what was reported last. */
  readonly text: string;
  /** When it came to the step, in milliseconds since 1970; absent before the first. */
  readonly since?: number;
  /** When it ended, in milliseconds since 1970. */
  readonly ended?: number;
}

/** Starts without nodes; they are in the order they were named. */
export function nodesOf(): EventFold<readonly NodeShown[]> {
  const nodes = new Map<string, NodeShown>();
  const startedAt = new Map<string, number>();
  return {
    take(event) {
      const { node, type } = event;
      if (type === "group.resolved") queue(nodes, event);
      if (node === undefined) return;
      if (type === "node.entered") startedAt.set(node, Date.parse(event.ts));
      const before = nodes.get(node);
      if (type.startsWith("node.")) {
        nodes.set(node, afterNode(before, event, startedAt.get(node)));
      } else if (before !== undefined) {
        nodes.set(node, afterStep(before, event));
      }
    },
    shown: () => [...nodes.values()],
  };
}

/** All nodes of a fan-out wait for their turn, but those that are through with it already. */
function queue(nodes: Map<string, NodeShown>, event: RunEvent): void {
  const { path = "", data } = event;
  const names = Array.isArray(data.nodes) ? data.nodes.map(String) : [];
  for (const node of names) {
    if (nodes.get(node)?.path === path) continue;
    nodes.set(node, { node, path, state: "queued", step: "", text: "" });
  }
}

function afterNode(
  before: NodeShown | undefined,
  event: RunEvent,
  startedAt: number | undefined,
): NodeShown {
  const { node = "", path = "", type } = event;
  const at = Date.parse(event.ts);
  const fresh = { node, path, step: "", text: "" };
  switch (type) {
    case "node.queued":
      return { ...fresh, state: "queued" };
    case "node.entered":
      return { ...fresh, state: "running", since: at };
    default: {
      const failed = textOf(event, "step");
      const why = [textOf(event, "code"), textOf(event, "message")];
      return {
        ...fresh,
        state: textOf(event, "state") ?? "done",
        step: failed === undefined ? "" : idOf(failed),
        text: why.filter((part) => part !== undefined).join(": "),
        // From here on the time is that of the whole way.
        ...wholeWay(
          event,
          at,
          before?.since === undefined ? undefined : startedAt,
        ),
      };
    }
  }
}

/** An earlier process may have led the node through, and told this one only how long that took. */
function wholeWay(
  { data: { tookMs } }: RunEvent,
  at: number,
  startedAt: number | undefined,
): Pick<NodeShown, "since" | "ended"> {
  if (typeof tookMs === "number") return { since: at - tookMs, ended: at };
  return startedAt === undefined ? {} : { since: startedAt, ended: at };
}

function afterStep(before: NodeShown, event: RunEvent): NodeShown {
  // One that has not entered yet waits in the fan-out's own name.
  if (event.path === before.path) {
    return { ...before, text: textOf(event, "reason") ?? before.text };
  }
  const step = idOf(textOf(event, "step") ?? event.path ?? "");
  const since = Date.parse(event.ts);
  switch (event.type) {
    case "step.start":
      return { ...before, state: "running", step, since, text: "" };
    case "step.waiting": {
      const text = textOf(event, "reason") ?? "";
      return { ...before, state: "waiting", step, text };
    }
    case "step.progress":
      return {
        ...before,
        state: "running",
        step,
        text: textOf(event, "reason") ?? before.text,
      };
    case "step.retry":
    case "step.failed": {
      const why = [textOf(event, "code"), textOf(event, "message")];
      const text = why.filter((part) => part !== undefined).join(": ");
      return { ...before, state: "running", step, text };
    }
    case "step.in-doubt":
      return { ...before, step, text: `in doubt: ${textOf(event, "message")}` };
    case "step.done":
      return { ...before, state: "running", text: "" };
    default:
      return before;
  }
}

/** Last part of a path. */
function idOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
