import type { EventOf, RunEvent } from "../event.ts";
import {
  type Instance,
  type NodeProgress,
  takeNode,
  takeStep,
} from "./instances.ts";
import { stepActivity, type StepWords } from "./activity.ts";
import { type FanOutShown, foldFanOuts } from "./fan_out_state.ts";
import {
  foldNodes,
  interruptNode,
  isInside,
  type NodeShown,
} from "./node_state.ts";
import type { RunMoment } from "../store/run_condition.ts";
import { type Awaited, stoppingAfter } from "./stop_state.ts";
import { foldStages, type StageShown } from "./step_state.ts";

/** Progress of a run. */
export interface RunShown {
  /** Id of the run; empty before the first event. */
  readonly run: string;
  /** Name of the runbook; empty if not reported. */
  readonly runbook: string;
  /** Title of the runbook; empty if not reported. */
  readonly title: string;
  /** Name of the cluster; empty if not reported. */
  readonly cluster: string;
  /** `running`, `waiting`, `stopping`, or its result. */
  readonly state: string;
  /** Reason why the whole run waits; empty if it does not. */
  readonly reason: string;
  /** Time of the first event, in milliseconds since 1970. */
  readonly startedAt?: number;
  /** End, in milliseconds since 1970. */
  readonly ended?: number;
  /** Time of the last event, in milliseconds since 1970. */
  readonly lastAt?: number;
  /** Command that resumes it; absent when there is nothing to resume. */
  readonly next?: string;
  /** Steps of the runbook, in the order of admission. */
  readonly stages: readonly StageShown[];
  /** Fan-outs that have started, in that order. */
  readonly fanOuts: readonly FanOutShown[];
  /** All nodes of fan-outs, with their state in the last one. */
  readonly nodes: readonly NodeShown[];
  /** Nodes that a stopping run still waits for; `undefined` if it is not stopping. */
  readonly stopping?: readonly Awaited[];
  /** True when it runs on this terminal, so that Ctrl-C reaches it; default false. */
  readonly isHere?: boolean;
  /** Pending questions. */
  readonly asked: readonly PendingQuestion[];
}

/** A question that waits for an answer. */
export interface PendingQuestion {
  readonly tag: string;
  readonly message: string;
  readonly command: string;
  /** Path of the step of the runbook that asks; empty if not reported. */
  readonly path: string;
  /** True when it is asked on this terminal, and need not be drawn; default false. */
  readonly here?: boolean;
}

/** State folded from the events of a run; every display of a run is a view of it. */
export class RunState {
  /** Steps on their nodes, in the order of their first event, including earlier processes. */
  readonly instances = new Map<string, Instance>();
  /** Nodes of fan-outs, in the order they were queued, including earlier processes. */
  readonly passages = new Map<string, NodeProgress>();
  readonly #asked = new Map<string, PendingQuestion>();
  #stages = foldStages();
  #fanOuts = foldFanOuts();
  /** Activities of steps by their paths. */
  readonly #activities = new Map<string, string>();
  #nodes = foldNodes(this.#activities);
  #head: RunHead = {
    run: "",
    runbook: "",
    title: "",
    cluster: "",
    state: "running",
  };
  #reason = "";
  #stopping: readonly Awaited[] | undefined;

  /** @param startedAt Start of a run that is resumed, ISO 8601; empty or absent: its first event. */
  constructor(startedAt = "") {
    if (startedAt !== "") {
      this.#head = { ...this.#head, startedAt: Date.parse(startedAt) };
    }
  }

  /** Adds the next event. */
  take(event: RunEvent): void {
    if (event.type === "run.planned") {
      // Another process reports finished steps again, and asks its own questions.
      this.#stages = foldStages();
      this.#fanOuts = foldFanOuts();
      this.#nodes = foldNodes(this.#activities);
      this.#asked.clear();
      this.#stopping = undefined;
    }
    if (event.type === "step.start") {
      const doing = stepActivity(event.data);
      if (doing !== "") this.#activities.set(event.path, doing);
    }
    this.#head = headAfter(this.#head, event);
    this.#reason = reasonAfter(this.#reason, event);
    this.#stopping = stoppingAfter(this.#stopping, event);
    answer(this.#asked, event);
    this.#stages.take(event);
    this.#fanOuts.take(event);
    this.#nodes.take(event);
    takeStep(this.instances, event);
    takeNode(this.passages, event);
    if (event.type === "run.stopping" && event.data.waiting === undefined) {
      this.#stopping = this.#nodes.shown()
        .filter(({ state }) => isInside(state))
        .map(({ node }) => ({ node, until: "" }));
    }
  }

  /** Words for the steps that have been named so far. */
  words(): StepWords {
    const titles = new Map(
      this.#stages.shown().map(({ path, title }) => [path, title]),
    );
    return { titles, activities: this.#activities };
  }

  /** Returns the progress. */
  shown(): RunShown {
    const nodes = this.#nodes.shown();
    const stopping = this.#stopping?.map((one) => {
      const { doing = "" } = nodes.find(({ node }) => node === one.node) ?? {};
      return doing === "" ? one : { ...one, doing };
    });
    return {
      ...this.#head,
      reason: this.#reason,
      stages: this.#stages.shown(),
      fanOuts: this.#fanOuts.shown(),
      nodes,
      stopping,
      asked: [...this.#asked.values()],
    };
  }
}

/** Folds the events of a run; those of several processes may follow each other. */
export function foldRun(events: Iterable<RunEvent>): RunState {
  const state = new RunState();
  for (const event of events) state.take(event);
  return state;
}

const live: ReadonlySet<string> = new Set(["waiting", "stopping"]);

/**
 * Corrects the state from events by the condition of the run: a process that was killed reported no end, and one that has
 * just resumed the run has reported nothing yet.
 *
 * @param moment Condition of the run, from its lock and journal.
 */
export function inCondition(
  { stopping, ended: _, ...shown }: RunShown,
  { condition, at }: RunMoment,
): RunShown {
  if (at === undefined) {
    return {
      ...shown,
      state: live.has(shown.state) ? shown.state : condition,
      stopping,
    };
  }
  return {
    ...shown,
    state: condition,
    reason: condition === "interrupted" ? "" : shown.reason,
    ended: at,
    ...condition === "interrupted" &&
      { next: `osctl runbook resume ${shown.run}` },
    nodes: shown.nodes.map((one) =>
      isInside(one.state) ? interruptNode(one, at) : one
    ),
  };
}

type RunHead = Pick<
  RunShown,
  | "run"
  | "runbook"
  | "title"
  | "cluster"
  | "state"
  | "startedAt"
  | "ended"
  | "lastAt"
  | "next"
>;

function headAfter(before: RunHead, event: RunEvent): RunHead {
  const at = Date.parse(event.ts);
  const { runbook, title, cluster } = namesIn(event);
  const head = {
    ...before,
    run: event.run,
    startedAt: before.startedAt ?? at,
    lastAt: at,
    runbook: before.runbook || runbook,
    title: before.title || title,
    cluster: before.cluster || cluster,
  };
  switch (event.type) {
    case "run.waiting":
      return { ...head, state: "waiting" };
    case "run.stopping":
      return { ...head, state: "stopping" };
    case "run.ended": {
      const { state, next } = event.data;
      return { ...head, state, ended: at, ...next !== undefined && { next } };
    }
    case "run.planned":
    case "run.resumed": {
      // Another process continues after the end of the previous one.
      const { ended: _, next: __, ...rest } = head;
      return { ...rest, state: "running" };
    }
    default:
      // Any other event shows that the run as a whole no longer waits.
      return head.state === "waiting" ? { ...head, state: "running" } : head;
  }
}

/** Names of the runbook and the cluster, and the title; empty if an event does not contain them. */
function namesIn(
  event: RunEvent,
): Pick<RunHead, "runbook" | "title" | "cluster"> {
  switch (event.type) {
    case "run.planned":
    case "run.started":
    case "run.resumed": {
      const names = { title: "", cluster: "", ...event.data };
      const { runbook, title, cluster } = names;
      return { runbook, title, cluster };
    }
    default:
      return { runbook: "", title: "", cluster: "" };
  }
}

function reasonAfter(before: string, event: RunEvent): string {
  switch (event.type) {
    case "run.waiting":
    case "run.stopping":
      return event.data.reason ?? "";
    case "step.start":
    case "node.entered":
    case "run.ended":
      return "";
    default:
      return before;
  }
}

/** Formats the command that answers a question. */
export function approval(
  { run, data: { tag } }: EventOf<"approval.requested">,
): string {
  return `osctl runbook approve ${run} ${tag}`;
}

function answer(asked: Map<string, PendingQuestion>, event: RunEvent): void {
  switch (event.type) {
    case "run.ended":
      return asked.clear();
    case "approval.answered":
      return void asked.delete(event.data.tag);
    case "approval.requested": {
      const { tag, message } = event.data;
      const [path = ""] = event.path.split("/");
      asked.set(tag, { tag, message, command: approval(event), path });
    }
  }
}
