/** Data of each kind of event: the one source for types, schema, checks, display and documentation. */

import type { ValueField, ValueFields } from "../runbook_cel/field.ts";
import type { NodeState, RunState } from "./event.ts";

/** Shape of one kind of event. */
export interface EventShape {
  /** When it is reported, in one line. */
  readonly summary: string;
  /** True when `path` is always present. */
  readonly path: boolean;
  /** True when `node` is always present. */
  readonly node: boolean;
  /** Fields of `data`; later versions may add more. */
  readonly data: ValueFields;
}

declare const valueType: unique symbol;

/** A field that has values of a type. */
interface Field<Value> extends ValueField {
  readonly [valueType]?: Value;
}

type ValueOf<One> = One extends Field<infer Value> ? Value : never;

/** Type of values with some fields. */
export type DataOf<Fields> =
  & {
    readonly [
      Name in keyof Fields as Fields[Name] extends Needed ? Name : never
    ]: ValueOf<Fields[Name]>;
  }
  & {
    readonly [
      Name in keyof Fields as Fields[Name] extends Needed ? never : Name
    ]?: ValueOf<Fields[Name]>;
  };

interface Needed {
  readonly required: true;
}

const reason = text("What it is waiting for, or what is happening");
const message = text("Message for people");
const tookMs = count("Duration in milliseconds");
const resumed = flag("True if `tookMs` contains an interruption");
const code = text("Failure code");
const startedAt = text("Start in an earlier process, ISO 8601");

/** Every kind of event. */
export const eventShapes = {
  "run.planned": ofRun("The run was planned", {
    runbook: requiredField(text("Name of the runbook")),
    title: text("One-line description"),
    cluster: requiredField(text("Name of the cluster")),
    nodes: records("Nodes of the cluster as they are now", "One node", {
      node: requiredField(text("The node")),
      role: requiredField(text("`controlplane` or `worker`")),
      version: text(
        "Version it ran when the run started; absent if unknown",
      ),
      current: text("Version it runs now, if that is another one"),
    }),
    fanOuts: records(
      "Fan-outs whose nodes are known, in order",
      "One fan-out",
      {
        path: requiredField(text("Path of the step")),
        nodes: requiredField(names("Nodes, in order")),
        disrupts: flag("True if its steps make nodes unavailable"),
        state: text<"done">("`done` if it had already finished"),
        done: records("Nodes that are done", "One node", {
          node: requiredField(text("The node")),
          tookMs: requiredField(tookMs),
          resumed,
        }),
      },
    ),
    stages: records("Steps of the runbook, in order", "One step", {
      path: requiredField(text("Path of the step")),
      title: text("One-line description"),
      verb: text("Kind of the step, such as `forEach`"),
      nodes: count("Number of nodes, for a fan-out"),
      state: text<"done" | "skipped">(
        "`done` or `skipped` if it had already finished",
      ),
    }),
  }),
  "run.started": ofRun("The run has started", {
    runbook: requiredField(text("Name of the runbook")),
    cluster: text("Name of the cluster"),
    groups: groups("Nodes of the frozen groups, by name of the group"),
  }),
  "run.resumed": ofRun("An unfinished run was resumed", {
    runbook: requiredField(text("Name of the runbook")),
    cluster: text("Name of the cluster"),
    entry: count(
      "Number of times it was started or resumed, including this one",
    ),
  }),
  "run.waiting": ofRun("The whole run is waiting", {
    reason: requiredField(reason),
    for: text("`approval`, `window`, `gate` or `lease`"),
  }),
  "run.stopping": ofRun("The run is stopping: nothing new starts", {
    reason: text("What caused it: `interrupt`, `stop` or `grace`"),
    waiting: records(
      "Nodes that continue to their next safe point",
      "One node",
      {
        node: requiredField(text("The node")),
        until: requiredField(text("Path of the step it continues to")),
      },
    ),
  }),
  "run.ended": ofRun(
    "The process of the run has ended; the run may be resumable",
    {
      state: requiredField(
        text<RunState>("Outcome, such as `succeeded`, `partial` or `stopped`"),
      ),
      status: requiredField(count("Exit status")),
      next: text("Command that resumes the run"),
    },
  ),
  "group.resolved": ofStep("A fan-out has started", {
    nodes: requiredField(names("Nodes, in order")),
    maxUnavailable: count(
      "Maximum number of unavailable nodes, for any reason",
    ),
    maxFailures: count("Maximum number of failed nodes"),
    atOnce: count("Maximum number of nodes at once; absent for a ramp"),
    batches: count("Number of batches of a ramp"),
    disrupts: flag("True if its steps make nodes unavailable"),
  }),
  "node.queued": ofNode("A node is waiting for its turn in a fan-out", {}),
  "node.entered": ofNode("A node has started the steps of a fan-out", {
    entry: count("Number of times it has started, including this one"),
    batch: count("Number of its batch, from 1"),
    startedAt,
  }),
  "node.ended": ofNode("A node has finished the steps of a fan-out", {
    state: requiredField(
      text<NodeState>(
        "`done`, `recovered`, `failed`, `blocked`, `skipped`, `not-reached`",
      ),
    ),
    step: text("Path of the step that failed"),
    code,
    message,
    tookMs,
    resumed,
    version: text("Version it runs now; only of nodes that were disrupted"),
  }),
  "step.start": ofStep("A step has started", {
    verb: requiredField(
      text("Kind of the step, such as `run`, `gate` or `forEach`"),
    ),
    title: text("One-line description"),
    module: text("Module that it runs, such as `node.drain`"),
    reads: flag("True if that only reads"),
    startedAt,
  }),
  "step.waiting": ofStep(
    "A step is waiting; sent again when the reason changes",
    {
      reason: requiredField(reason),
      until: text("End of the wait, ISO 8601, if it is known"),
      unavailable: count("Unavailable nodes of the fan-out, for any reason"),
    },
  ),
  "step.progress": ofStep("A step is in progress", {
    reason,
    unavailable: count("Unavailable nodes of the fan-out, for any reason"),
  }),
  "step.retry": ofStep("A step failed and will be retried", {
    code: requiredField(code),
    message,
    waitMs: count("Delay before the retry, in milliseconds"),
  }),
  "step.done": ofStep("A step succeeded", {
    tookMs,
    recovered: flag(
      "True if an earlier attempt had already done it and nothing was sent again",
    ),
    changed: flag("False if there was nothing to do"),
    version: text("Version that the node runs, if the step has read it"),
  }),
  "step.failed": ofStep("A step failed for good", {
    code: requiredField(code),
    message: requiredField(message),
    step: text(
      "Path of the step inside it that failed first, or its own path",
    ),
    continues: flag("True if the run continues anyway"),
    tookMs,
    artifact: text("File with evidence of the failure"),
  }),
  "step.skipped": ofStep("A step was skipped", {
    reason: requiredField(text("`when`, or the operator's reason")),
    title: text("One-line description"),
    condition: text("Condition that is false, for the reason `when`"),
  }),
  "step.in-doubt": ofStep("A step is in doubt: its result is unknown", {
    code,
    message: requiredField(message),
    step: text("Path of the step inside it that is in doubt"),
    continues: flag("True if the run continues anyway"),
    tookMs,
  }),
  "approval.requested": ofStep("An approval is requested", {
    tag: requiredField(text("Name of the approval")),
    message: requiredField(text("Question to the operator")),
    destructive: flag("True if data will be lost"),
  }),
  "approval.answered": ofStep("An approval was answered", {
    tag: requiredField(text("Name of the approval")),
    approved: requiredField(flag("True if approved, false if refused")),
    by: text("User, and subject of the client certificate"),
    how: text("`terminal`, `flag` or `inbox`"),
    reason: text("Reason, if one was given"),
  }),
  "lock.acquired": ofRun("The run has locked the cluster", {
    holder: text("Id of the run and its host"),
  }),
  "lock.lost": ofRun("The run has lost its lock on the cluster", {
    holder: text("Holder of the lock"),
    reason,
  }),
  "secret.created": ofRun("A secret was stored in the vault", {
    name: requiredField(text("Name of the secret")),
    fingerprint: text("SHA-256 of the public part, hexadecimal"),
  }),
  note: ofRun("Other information", { message: requiredField(message) }),
} satisfies Readonly<Record<string, EventShape>>;

function ofRun<Data extends ValueFields>(summary: string, data: Data) {
  return { summary, path: false, node: false, data } as const;
}

function ofStep<Data extends ValueFields>(summary: string, data: Data) {
  return { summary, path: true, node: false, data } as const;
}

function ofNode<Data extends ValueFields>(summary: string, data: Data) {
  return { summary, path: true, node: true, data } as const;
}

function text<Word extends string = string>(summary: string): Field<Word> {
  return { type: "string", summary };
}

function count(summary: string): Field<number> {
  return { type: "int", summary };
}

function flag(summary: string): Field<boolean> {
  return { type: "bool", summary };
}

function names(summary: string): Field<readonly string[]> {
  return { type: "list", summary, items: text("Name") };
}

function groups(
  summary: string,
): Field<Readonly<Record<string, readonly string[]>>> {
  return { type: "map", summary, items: names("Nodes, in order") };
}

function records<Fields extends ValueFields>(
  summary: string,
  one: string,
  fields: Fields,
): Field<readonly DataOf<Fields>[]> {
  const items = { type: "object", summary: one, fields } as const;
  return { type: "list", summary, items };
}

function requiredField<One extends ValueField>(field: One): One & Needed {
  return { ...field, required: true };
}
