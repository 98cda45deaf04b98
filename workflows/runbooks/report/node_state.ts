/** Progress of each node, from the events of a run. */

import type { EventFold, EventOf, PlannedRun, RunEvent } from "../event.ts";
import { findId } from "./activity.ts";
import { isOfNode, type NodeEvent } from "./instances.ts";

/** Progress of one node. */
export interface NodeShown {
  readonly node: string;
  /** Path of its current or next fan-out; of the last one when it has finished all. */
  readonly path: string;
  /** `queued`, `running`, `waiting`, or its result. */
  readonly state: string;
  /** Id of the current or failed step; empty before the first. */
  readonly step: string;
  /** Activity of that step: `draining`; empty if unknown. */
  readonly doing: string;
  /** Reason for waiting, or the last report. */
  readonly text: string;
  /** End of its wait, in milliseconds since 1970; absent if unknown. */
  readonly until?: number;
  /** True when that step has finished, and the next one has not started. */
  readonly isBetween?: true;
  /** Start of the step, in milliseconds since 1970; absent before the first. */
  readonly since?: number;
  /** Start of the current fan-out, in milliseconds since 1970; absent before the first. */
  readonly startedAt?: number;
  /** End, in milliseconds since 1970; `startedAt` is then set so that the difference is the time in all fan-outs. */
  readonly ended?: number;
  /** Role; absent if not reported. */
  readonly role?: string;
  /** Version at the start of the run; absent if not reported. */
  readonly from?: string;
  /** Current version; absent if not reported. */
  readonly to?: string;
  /** True when a step may have changed the version, and none has read it since. */
  readonly isVersionUnknown?: true;
}

type NodeAbout = Pick<NodeShown, "role" | "from" | "to" | "isVersionUnknown">;

/** Modules after which a node may run another version. */
const versionChanges: ReadonlySet<string> = new Set([
  "node.reboot",
  "node.reset",
  "node.rollback",
  "reboot",
  "reset",
  "rollback",
  "upgrade",
  "upgrade.legacy",
]);

interface PlannedFanOut {
  readonly path: string;
  readonly nodes: ReadonlySet<string>;
  /** True when finished or skipped. */
  over: boolean;
}

/**
 * Starts without nodes; they are in the order of their last planned fan-outs, else of their first event.
 *
 * @param activities Activities of steps by their paths.
 */
export function foldNodes(
  activities: ReadonlyMap<string, string>,
): EventFold<readonly NodeShown[]> {
  const fold = new NodeFold(activities);
  return { take: (event) => fold.take(event), shown: () => fold.shown() };
}

class NodeFold {
  readonly #nodes = new Map<string, NodeShown>();
  readonly #startedAt = new Map<string, number>();
  readonly #about = new Map<string, NodeAbout>();
  readonly #planned: PlannedFanOut[] = [];
  /** Unfinished steps that run another runbook: its fan-outs are known only when they start. */
  readonly #open = new Set<string>();
  readonly #activities: ReadonlyMap<string, string>;
  /** Fan-outs that make nodes unavailable. */
  readonly #disrupting = new Set<string>();
  /** Time in each fan-out, by node and path. */
  readonly #times = new Map<string, Map<string, number>>();

  constructor(activities: ReadonlyMap<string, string>) {
    this.#activities = activities;
  }

  take(event: RunEvent): void {
    if (event.node === undefined) return this.#takeOfCluster(event);
    if (isOfNode(event)) return this.#takeOfNode(event);
    this.#followVersion(event, event.node);
    const before = this.#nodes.get(event.node);
    if (before === undefined) return;
    const doing = this.#findActivity(event);
    this.#nodes.set(event.node, afterStep({ ...before, doing }, event));
  }

  shown(): readonly NodeShown[] {
    const order = new Map<string, number>();
    for (const [i, node] of this.#planned.flatMap(listNodes).entries()) {
      order.set(node, i);
    }
    const turn = ({ node }: NodeShown) => order.get(node) ?? order.size;
    return [...this.#nodes.values()]
      .toSorted((a, b) => turn(a) - turn(b))
      .map((one) => ({
        ...one,
        ...this.#isChanged(one) && { state: "done" },
        ...this.#about.get(one.node),
      }));
  }

  /** Reports whether a queued node has been through the work of the only runbook that may have more for it. */
  #isChanged({ node, path, state }: NodeShown): boolean {
    return state === "queued" && this.#disrupting.has(path) &&
      this.#times.get(node)?.has(path) === true &&
      [...this.#open].every((use) => path.startsWith(`${use}/`));
  }

  #takeOfCluster(event: RunEvent): void {
    switch (event.type) {
      case "run.planned":
        return this.#plan(event.data);
      case "run.ended":
        return this.#stop(Date.parse(event.ts));
      case "group.resolved":
        if (event.data.disrupts) this.#disrupting.add(event.path);
        return this.#queueAll(event);
      case "step.skipped":
        return this.#close(event.path, "skipped");
      case "step.done":
        return this.#close(event.path, "done");
      case "step.failed":
        return this.#close(event.path, "not-reached");
    }
  }

  #takeOfNode(event: NodeEvent): void {
    const { node, path } = event;
    switch (event.type) {
      case "node.queued":
        return this.#set({ ...fresh(node, path), state: "queued" });
      case "node.entered": {
        const since = Date.parse(event.ts);
        const startedAt = Date.parse(event.data.startedAt ?? event.ts);
        this.#startedAt.set(node, startedAt);
        return this.#set({
          ...fresh(node, path),
          state: "running",
          since,
          startedAt,
        });
      }
      case "node.ended":
        return this.#end(event);
    }
  }

  #set(shown: NodeShown): void {
    this.#nodes.set(shown.node, shown);
  }

  #plan(data: PlannedRun): void {
    for (const { node, role, version, current } of data.nodes ?? []) {
      this.#about.set(node, { role, from: version, to: current });
    }
    for (const { path, nodes, state, done = [] } of data.fanOuts ?? []) {
      for (const { node, tookMs } of done) this.#addTime(node, path, tookMs);
      this.#planned.push({
        path,
        nodes: new Set(nodes),
        over: state === "done",
      });
    }
    for (const { path, verb, state } of data.stages ?? []) {
      if (verb === "use" && state === undefined) this.#open.add(path);
    }
    for (const { path, nodes, over } of this.#planned) {
      for (const node of nodes) {
        if (this.#nodes.get(node)?.state === "queued") continue;
        const next = this.#findNext(node);
        const isDone = next === undefined &&
          (over || this.#times.get(node)?.has(path) === true);
        if (isDone) this.#set(this.#finish(node, path));
        else this.#set({ ...fresh(node, next ?? path), state: "queued" });
      }
    }
  }

  #addTime(node: string, path: string, ms: number): void {
    const times = this.#times.get(node) ?? new Map<string, number>();
    this.#times.set(node, times.set(path, ms));
  }

  /** A node that is done, with its time in all fan-outs. */
  #finish(node: string, path: string): NodeShown {
    const times = [...this.#times.get(node)?.values() ?? []];
    const ended = times.reduce((sum, one) => sum + one, 0);
    const time = times.length === 0 ? {} : { startedAt: 0, ended };
    return { ...fresh(node, path), state: "done", ...time };
  }

  #followVersion(event: RunEvent, node: string): void {
    if (event.type === "step.done" && event.data.version !== undefined) {
      this.#setVersion(node, event.data.version);
    }
    if (event.type !== "step.start") return;
    if (!versionChanges.has(event.data.module ?? "")) return;
    const { to: _, ...about } = this.#about.get(node) ?? {};
    this.#about.set(node, { ...about, isVersionUnknown: true });
  }

  #setVersion(node: string, to: string): void {
    const { isVersionUnknown: _, ...about } = this.#about.get(node) ?? {};
    this.#about.set(node, { ...about, to });
  }

  /** Queues all nodes of a fan-out that have not finished it. */
  #queueAll({ path, data: { nodes } }: EventOf<"group.resolved">): void {
    for (const node of nodes) {
      const isKnown = this.#nodes.get(node)?.path === path ||
        this.#times.get(node)?.has(path);
      if (!isKnown) this.#set({ ...fresh(node, path), state: "queued" });
    }
  }

  /** Moves queued nodes out of a stage that has finished or was skipped. */
  #close(path: string, ending: string): void {
    if (this.#open.delete(path) && this.#open.size === 0) this.#finishWalked();
    for (const one of this.#planned) {
      if (one.path !== path && !one.path.startsWith(`${path}/`)) continue;
      one.over = true;
      for (const node of one.nodes) {
        const known = this.#nodes.get(node);
        if (known?.path !== one.path || known.state !== "queued") continue;
        const next = this.#findNext(node);
        if (next !== undefined) {
          this.#set({ ...fresh(node, next), state: "queued" });
        } else if (this.#times.has(node)) {
          this.#set(this.#finish(node, known.path));
        } else this.#set({ ...known, state: ending });
      }
    }
  }

  #end({ ts, path, node, data }: EventOf<"node.ended">): void {
    const at = Date.parse(ts);
    const { state, step = "", code, message, version } = data;
    if (version !== undefined) this.#setVersion(node, version);
    const since = this.#nodes.get(node)?.startedAt === undefined
      ? undefined
      : this.#startedAt.get(node);
    const ms = data.tookMs ?? (since === undefined ? undefined : at - since);
    if (ms !== undefined || state === "done") {
      this.#addTime(node, path, ms ?? 0);
    }
    const next = state === "done" ? this.#findNext(node) : undefined;
    if (next !== undefined || state === "done" && this.#open.size > 0) {
      return this.#set({ ...fresh(node, next ?? path), state: "queued" });
    }
    const all = [...this.#times.get(node)?.values() ?? []];
    const sum = all.reduce((total, one) => total + one, 0);
    this.#set({
      ...fresh(node, path),
      state,
      step: findId(step),
      doing: this.#activities.get(step) ?? "",
      text: message ?? code ?? "",
      // From here on the duration is the total.
      ...ms === undefined ? {} : { startedAt: at - sum, ended: at },
    });
  }

  /** Activity of a node after an event: that of its step, or of the one that failed. */
  #findActivity({ path = "", data }: RunEvent): string {
    const origin = "step" in data && data.step !== undefined ? data.step : path;
    return this.#activities.get(origin) ?? "";
  }

  /** Marks nodes that still wait as not reached, and those that have started as interrupted. */
  #stop(at: number): void {
    if (this.#open.size > 0) this.#finishWalked();
    for (const known of this.#nodes.values()) {
      if (known.state === "queued") {
        this.#set({ ...known, state: "not-reached", text: "" });
      } else if (isInside(known.state)) {
        this.#set(interruptNode(known, at));
      }
    }
  }

  /** Nodes that have been through fan-outs, and have no other one, are done. */
  #finishWalked(): void {
    for (const { node, path, state } of this.#nodes.values()) {
      const times = this.#times.get(node);
      if (state !== "queued" || times === undefined) continue;
      if (this.#findNext(node) !== undefined) continue;
      this.#set(this.#finish(node, path));
    }
  }

  /** Next fan-out of a node. */
  #findNext(node: string): string | undefined {
    const walked = this.#times.get(node);
    return this.#planned.find((one) =>
      !one.over && one.nodes.has(node) && !walked?.has(one.path)
    )?.path;
  }
}

/** A node that was interrupted: in its step, or between two of them. */
export function interruptNode(one: NodeShown, at: number): NodeShown {
  const none = one.isBetween ? { step: "", doing: "", text: "" } : {};
  return { ...one, ...none, state: "interrupted", ended: at };
}

/** Reports whether a node in this state has started and not finished. */
export function isInside(state: string): boolean {
  return state === "running" || state === "waiting";
}

function listNodes({ nodes }: PlannedFanOut): readonly string[] {
  return [...nodes];
}

function fresh(
  node: string,
  path: string,
): Pick<NodeShown, "node" | "path" | "step" | "doing" | "text"> {
  return { node, path, step: "", doing: "", text: "" };
}

function afterStep(
  { isBetween, until: _, ...before }: NodeShown,
  event: RunEvent,
): NodeShown {
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
      if (event.type === "step.progress") {
        return { ...before, state: "running", step, text };
      }
      const { until } = event.data;
      return {
        ...before,
        state: "waiting",
        step,
        text,
        ...until !== undefined && { until: Date.parse(until) },
      };
    }
    case "step.start":
      if (isOwn) return before;
      return { ...before, state: "running", step, since, text: "" };
    case "step.retry": {
      const { data } = event;
      if (isOwn) return before;
      const text = data.message ?? data.code;
      const { waitMs } = data;
      return {
        ...before,
        state: "running",
        step,
        text,
        ...waitMs !== undefined && { until: since + waitMs },
      };
    }
    case "step.failed": {
      if (isOwn) return before;
      const { step: origin = path, message: text } = event.data;
      return { ...before, state: "running", step: findId(origin), text };
    }
    case "step.in-doubt": {
      if (isOwn) return before;
      const { step: origin = path, message } = event.data;
      return { ...before, step: findId(origin), text: `in doubt: ${message}` };
    }
    case "step.done":
      return isOwn
        ? before
        : { ...before, state: "running", text: "", isBetween: true };
    case "step.skipped":
      return isBetween ? { ...before, isBetween } : before;
    default:
      return before;
  }
}
