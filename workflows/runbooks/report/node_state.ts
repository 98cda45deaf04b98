/** How far each node is, as the events of a run tell it. */

import type { Json } from "../../../lib/json.ts";
import type { EventFold, RunEvent } from "../event.ts";
import { textOf } from "./instances.ts";

/** How far one node is. */
export interface NodeShown {
  readonly node: string;
  /** Path of the fan-out it is in, or is in next; of the last one when it is through with all. */
  readonly path: string;
  /** `queued`, `running`, `waiting`, or how it ended. */
  readonly state: string;
  /** Id of the step it is at, or failed at; empty before the first. */
  readonly step: string;
  /** Reason for waiting, or what was reported last. */
  readonly text: string;
  /** When it came to the step, in milliseconds since 1970; absent before the first. */
  readonly since?: number;
  /** When it ended, in milliseconds since 1970; since then counts the time in all fan-outs. */
  readonly ended?: number;
  /** Role; absent when it was not told. */
  readonly role?: string;
  /** Version when the run started; absent when it was not told. */
  readonly from?: string;
  /** Version now; absent when it was not told. */
  readonly to?: string;
}

type NodeRoles = Pick<NodeShown, "role" | "from" | "to">;

interface PlannedFanOut {
  readonly path: string;
  readonly nodes: ReadonlySet<string>;
  /** True when it has ended, or was skipped. */
  over: boolean;
}

/** Starts without nodes; they are in the order they were named. */
export function nodesOf(): EventFold<readonly NodeShown[]> {
  const nodes = new Map<string, NodeShown>();
  const startedAt = new Map<string, number>();
  const about = new Map<string, NodeRoles>();
  const planned: PlannedFanOut[] = [];
  // Time in each fan-out, by node and path.
  const times = new Map<string, Map<string, number>>();

  /** The next fan-out a node has to walk through. */
  function nextOf(node: string): string | undefined {
    const walked = times.get(node);
    return planned.find((one) =>
      !one.over && one.nodes.has(node) && !walked?.has(one.path)
    )?.path;
  }

  function plan({ data }: RunEvent): void {
    for (const { node, role, version, current } of listOf(data.nodes)) {
      about.set(String(node), {
        ...typeof role === "string" ? { role } : {},
        ...typeof version === "string" ? { from: version } : {},
        ...typeof current === "string" ? { to: current } : {},
      });
    }
    for (const { path, nodes, state } of listOf(data.fanOuts)) {
      const names = Array.isArray(nodes) ? nodes.map(String) : [];
      const over = state === "done";
      planned.push({ path: String(path), nodes: new Set(names), over });
    }
    for (const { path, nodes: names, over } of planned) {
      for (const node of names) {
        const next = nextOf(node) ?? path;
        const state = over ? "done" : "queued";
        if (nodes.get(node)?.state === "queued") continue;
        nodes.set(node, {
          ...fresh(node, next),
          state: next === path ? state : "queued",
        });
      }
    }
  }

  /** A node is not in a stage that has ended, or was skipped. */
  function close(path: string, ending: string): void {
    for (const one of planned) {
      if (one.path !== path && !one.path.startsWith(`${path}/`)) continue;
      one.over = true;
      for (const node of one.nodes) {
        const known = nodes.get(node);
        if (known?.path !== one.path || known.state !== "queued") continue;
        const next = nextOf(node);
        if (next !== undefined) nodes.set(node, queued(node, next));
        else if (times.has(node)) nodes.set(node, over(node, known));
        else nodes.set(node, { ...known, state: ending });
      }
    }
  }

  function queued(node: string, path: string): NodeShown {
    return { ...fresh(node, path), state: "queued" };
  }

  function over(node: string, known: NodeShown): NodeShown {
    return { ...fresh(node, known.path), state: "done" };
  }

  /** All nodes of a fan-out wait for their turn, but those that are through with it already. */
  function queue({ path = "", data }: RunEvent): void {
    const names = Array.isArray(data.nodes) ? data.nodes.map(String) : [];
    for (const node of names) {
      if (nodes.get(node)?.path === path || times.get(node)?.has(path)) {
        continue;
      }
      nodes.set(node, queued(node, path));
    }
  }

  function end(event: RunEvent, node: string): void {
    const { path = "", data } = event;
    const at = Date.parse(event.ts);
    const before = nodes.get(node);
    const { version } = data;
    if (typeof version === "string") {
      about.set(node, { ...about.get(node), to: version });
    }
    const since = before?.since === undefined ? undefined : startedAt.get(node);
    const told = data.tookMs;
    const ms = typeof told === "number"
      ? told
      : since === undefined
      ? undefined
      : at - since;
    const state = textOf(event, "state") ?? "done";
    if (ms !== undefined || state === "done") {
      const walked = times.get(node) ?? new Map<string, number>();
      times.set(node, walked.set(path, ms ?? 0));
    }
    const next = state === "done" ? nextOf(node) : undefined;
    if (next !== undefined) {
      nodes.set(node, queued(node, next));
      return;
    }
    const all = [...times.get(node)?.values() ?? []];
    const sum = all.reduce((total, one) => total + one, 0);
    const failed = textOf(event, "step");
    const why = [textOf(event, "code"), textOf(event, "message")];
    nodes.set(node, {
      ...fresh(node, path),
      state,
      step: failed === undefined ? "" : idOf(failed),
      text: why.filter((part) => part !== undefined).join(": "),
      // From here on the time is that of the whole way.
      ...ms === undefined ? {} : { since: at - sum, ended: at },
    });
  }

  /** Who waits for what does not come any more was not reached. */
  function stop(): void {
    for (const [node, known] of nodes) {
      if (known.state !== "queued") continue;
      nodes.set(node, { ...known, state: "not-reached", text: "" });
    }
  }

  return {
    take(event) {
      const { node, type, path } = event;
      if (type === "run.planned") plan(event);
      if (type === "run.ended") stop();
      if (type === "group.resolved") queue(event);
      if (node === undefined) {
        if (path === undefined) return;
        if (type === "step.skipped") close(path, "skipped");
        if (type === "step.done") close(path, "done");
        if (type === "step.failed") close(path, "not-reached");
        return;
      }
      const before = nodes.get(node);
      const at = Date.parse(event.ts);
      if (type === "node.ended") end(event, node);
      else if (type === "node.entered") {
        startedAt.set(node, at);
        nodes.set(node, {
          ...fresh(node, path ?? ""),
          state: "running",
          since: at,
        });
      } else if (type === "node.queued") {
        nodes.set(node, queued(node, path ?? ""));
      } else if (before !== undefined) {
        nodes.set(node, afterStep(before, event));
      }
    },
    shown: () =>
      [...nodes.values()].map((one) => ({ ...one, ...about.get(one.node) })),
  };
}

function fresh(
  node: string,
  path: string,
): Pick<NodeShown, "node" | "path" | "step" | "text"> {
  return { node, path, step: "", text: "" };
}

function listOf(value: unknown): readonly Readonly<Record<string, Json>>[] {
  return Array.isArray(value)
    ? value.filter((one) => typeof one === "object" && one !== null)
    : [];
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

function idOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
