/** Progress of each node, from the events of a run. */

import type { EventFold, EventOf, PlannedRun, RunEvent } from "../event.ts";
import { isOfNode, joined, type NodeEvent } from "./instances.ts";

/** Progress of one node. */
export interface NodeShown {
  readonly node: string;
  /** Path of its current or next fan-out; of the last one when it has finished all. */
  readonly path: string;
  /** `queued`, `running`, `waiting`, or its result. */
  readonly state: string;
  /** Id of the current or failed step; empty before the first. */
  readonly step: string;
  /** Reason for waiting, or the last report. */
  readonly text: string;
  /** Start of the step, in milliseconds since 1970; absent before the first. */
  readonly since?: number;
  /** When it finished, in milliseconds since 1970; `since` is then set so that the difference is the time in all fan-outs. */
  readonly ended?: number;
  /** Role; absent if not reported. */
  readonly role?: string;
  /** Version at the start of the run; absent if not reported. */
  readonly from?: string;
  /** Current version; absent if not reported. */
  readonly to?: string;
}

type NodeRoles = Pick<NodeShown, "role" | "from" | "to">;

interface PlannedFanOut {
  readonly path: string;
  readonly nodes: ReadonlySet<string>;
  /** True when finished or skipped. */
  over: boolean;
}

/** Starts without nodes; they are in the order of their first event. */
export function foldNodes(): EventFold<readonly NodeShown[]> {
  const nodes = new Map<string, NodeShown>();
  const startedAt = new Map<string, number>();
  const about = new Map<string, NodeRoles>();
  const planned: PlannedFanOut[] = [];
  // Time in each fan-out, by node and path.
  const times = new Map<string, Map<string, number>>();

  /** Next fan-out of a node. */
  function findNext(node: string): string | undefined {
    const walked = times.get(node);
    return planned.find((one) =>
      !one.over && one.nodes.has(node) && !walked?.has(one.path)
    )?.path;
  }

  function plan(data: PlannedRun): void {
    for (const { node, role, version, current } of data.nodes ?? []) {
      about.set(node, {
        role,
        ...version === undefined ? {} : { from: version },
        ...current === undefined ? {} : { to: current },
      });
    }
    for (const { path, nodes, state } of data.fanOuts ?? []) {
      planned.push({ path, nodes: new Set(nodes), over: state === "done" });
    }
    for (const { path, nodes: names, over } of planned) {
      for (const node of names) {
        const next = findNext(node) ?? path;
        const state = over ? "done" : "queued";
        if (nodes.get(node)?.state === "queued") continue;
        nodes.set(node, {
          ...fresh(node, next),
          state: next === path ? state : "queued",
        });
      }
    }
  }

  /** Moves queued nodes out of a stage that has finished or was skipped. */
  function close(path: string, ending: string): void {
    for (const one of planned) {
      if (one.path !== path && !one.path.startsWith(`${path}/`)) continue;
      one.over = true;
      for (const node of one.nodes) {
        const known = nodes.get(node);
        if (known?.path !== one.path || known.state !== "queued") continue;
        const next = findNext(node);
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

  /** Queues all nodes of a fan-out that have not finished it. */
  function queue(
    { path, data: { nodes: names } }: EventOf<"group.resolved">,
  ): void {
    for (const node of names) {
      if (nodes.get(node)?.path === path || times.get(node)?.has(path)) {
        continue;
      }
      nodes.set(node, queued(node, path));
    }
  }

  function end({ ts, path, node, data }: EventOf<"node.ended">): void {
    const at = Date.parse(ts);
    const before = nodes.get(node);
    const { state, step = "", code, message, version } = data;
    if (version !== undefined) {
      about.set(node, { ...about.get(node), to: version });
    }
    const since = before?.since === undefined ? undefined : startedAt.get(node);
    const ms = data.tookMs ?? (since === undefined ? undefined : at - since);
    if (ms !== undefined || state === "done") {
      const walked = times.get(node) ?? new Map<string, number>();
      times.set(node, walked.set(path, ms ?? 0));
    }
    const next = state === "done" ? findNext(node) : undefined;
    if (next !== undefined) {
      nodes.set(node, queued(node, next));
      return;
    }
    const all = [...times.get(node)?.values() ?? []];
    const sum = all.reduce((total, one) => total + one, 0);
    nodes.set(node, {
      ...fresh(node, path),
      state,
      step: findId(step),
      text: joined(code, message),
      // From here on the duration is the total.
      ...ms === undefined ? {} : { since: at - sum, ended: at },
    });
  }

  /** Marks nodes that still wait as not reached. */
  function stop(): void {
    for (const [node, known] of nodes) {
      if (known.state !== "queued") continue;
      nodes.set(node, { ...known, state: "not-reached", text: "" });
    }
  }

  function onCluster(event: RunEvent): void {
    switch (event.type) {
      case "run.planned":
        return plan(event.data);
      case "run.ended":
        return stop();
      case "group.resolved":
        return queue(event);
      case "step.skipped":
        return close(event.path, "skipped");
      case "step.done":
        return close(event.path, "done");
      case "step.failed":
        return close(event.path, "not-reached");
    }
  }

  function onNode(event: NodeEvent): void {
    const { node, path } = event;
    switch (event.type) {
      case "node.queued":
        return void nodes.set(node, queued(node, path));
      case "node.entered": {
        const since = Date.parse(event.ts);
        startedAt.set(node, since);
        nodes.set(node, { ...fresh(node, path), state: "running", since });
        return;
      }
      case "node.ended":
        return end(event);
    }
  }

  return {
    take(event) {
      if (event.node === undefined) onCluster(event);
      else if (isOfNode(event)) onNode(event);
      else {
        const before = nodes.get(event.node);
        if (before) nodes.set(event.node, afterStep(before, event));
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

function afterStep(before: NodeShown, event: RunEvent): NodeShown {
  const { path = "" } = event;
  const isOwn = path === before.path;
  const since = Date.parse(event.ts);
  const step = findId(path);
  switch (event.type) {
    case "step.waiting":
    case "step.progress": {
      const text = event.data.reason ?? before.text;
      // A node that has not started waits under the name of the fan-out.
      if (isOwn) return { ...before, text };
      const state = event.type === "step.waiting" ? "waiting" : "running";
      return { ...before, state, step, text };
    }
    case "step.start":
      if (isOwn) return before;
      return { ...before, state: "running", step, since, text: "" };
    case "step.retry": {
      const { code, message } = event.data;
      const text = joined(code, message);
      return isOwn ? before : { ...before, state: "running", step, text };
    }
    case "step.failed": {
      if (isOwn) return before;
      const { step: origin = path, code, message } = event.data;
      const text = joined(code, message);
      return { ...before, state: "running", step: findId(origin), text };
    }
    case "step.in-doubt": {
      if (isOwn) return before;
      const { step: origin = path, message } = event.data;
      return { ...before, step: findId(origin), text: `in doubt: ${message}` };
    }
    case "step.done":
      return isOwn ? before : { ...before, state: "running", text: "" };
    default:
      return before;
  }
}

function findId(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
