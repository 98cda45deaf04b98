/** What each kind of event says: the one place from which schema, display and documentation follow. */

import type { Field, Fields } from "../field.ts";
import type { EventType } from "../event.ts";

/** Shape of one kind of event. */
export interface EventShape {
  /** When it is told, one line for people. */
  readonly summary: string;
  /** True when `path` is always there. */
  readonly path: boolean;
  /** True when `node` is always there. */
  readonly node: boolean;
  /** What stands under `data`; further names may come in later versions. */
  readonly data: Fields;
}

const reason = text("What it waits for, why, or what goes on");
const message = text("For people");
const tookMs = count("How long it took, in milliseconds");
const code: Field = text("Kind of failure, out of the closed list");

/** Every kind of event. */
export const eventShapes: Readonly<Record<EventType, EventShape>> = {
  "run.planned": ofRun("The plan is made", {
    runbook: required(text("Name of the runbook")),
    title: text("Its one line for people"),
    cluster: required(text("Name of the cluster")),
    stages: {
      ...list("Steps of the runbook, in the order of admission"),
      items: {
        type: "object",
        summary: "One step",
        fields: {
          path: required(text("Path of the step")),
          title: text("Its one line for people"),
          verb: text("What it does: `forEach`"),
          nodes: count("How many nodes it has, for a fan-out"),
          state: text("`done` or `skipped` when it has ended before"),
        },
      },
    },
  }),
  "run.started": ofRun("The run begins", {
    runbook: required(text("Name of the runbook")),
    cluster: text("Name of the cluster"),
    groups: {
      type: "map",
      summary: "Nodes of the groups that are frozen, by the group's key",
      items: names("Its nodes, in order"),
    },
  }),
  "run.resumed": ofRun("An unfinished run goes on", {
    runbook: required(text("Name of the runbook")),
    cluster: text("Name of the cluster"),
    entry: count("How often it was begun or resumed, this time included"),
  }),
  "run.waiting": ofRun("The run as a whole waits", {
    reason: required(reason),
    for: text("`approval`, `window`, `gate` or `lease`"),
  }),
  "run.stopping": ofRun("Nothing new begins any more", {
    reason: text("Who asked, or what forced it: `interrupt`, `stop`, `grace`"),
    waiting: {
      ...list("Nodes that go on to their next safe point"),
      items: {
        type: "object",
        summary: "One node",
        fields: {
          node: required(text("The node")),
          until: required(text("Path of the step it goes on to")),
        },
      },
    },
  }),
  "run.ended": ofRun("The run ended, for now or for good", {
    state: required(text("How: `succeeded`, `partial`, `stopped`")),
    status: required(count("Exit status")),
    next: text("Command that goes on"),
  }),
  "group.resolved": ofStep("A fan-out knows its nodes and its budget", {
    nodes: required(names("Its nodes, in order")),
    maxUnavailable: count("Nodes that may be away for any reason"),
    maxFailures: count("Nodes that may fail"),
  }),
  "node.queued": ofNode("A node waits for its turn in a fan-out", {}),
  "node.entered": ofNode("A node begins with the steps of a fan-out", {
    entry: count("How often it did, this time included"),
    batch: count("Which batch it is in, from 1"),
  }),
  "node.ended": ofNode("A node is through with a fan-out", {
    state: required(
      text(
        "`done`, `recovered`, `failed`, `blocked`, `skipped`, `not-reached`",
      ),
    ),
    step: text("Path of the step that failed"),
    code,
    message,
    tookMs,
  }),
  "step.start": ofStep("A step begins", {
    verb: required(text("What it does: `run`, `gate`, `forEach`")),
  }),
  "step.waiting": ofStep("A step waits; told again when the reason changes", {
    reason: required(reason),
    unavailable: count("Nodes of the fan-out that are away for any reason"),
  }),
  "step.progress": ofStep("A step is under way", {
    reason,
    unavailable: count("Nodes of the fan-out that are away for any reason"),
  }),
  "step.retry": ofStep("A step failed and is tried again", {
    code: required(code),
    message,
    waitMs: count("Time until then, in milliseconds"),
  }),
  "step.done": ofStep("A step succeeded", {
    tookMs,
    recovered: flag(
      "True when an earlier attempt had done it, and nothing was sent again",
    ),
    changed: flag("False when there was nothing to do"),
  }),
  "step.failed": ofStep("A step failed for good", {
    code: required(code),
    message: required(message),
    step: text(
      "Path of the step inside it that failed first; its own for that one",
    ),
    continues: flag("True when the run goes on anyway"),
    tookMs,
    artifact: text("File with what was found out"),
  }),
  "step.skipped": ofStep("A step is left out", {
    reason: required(text("`when`, or what the operator gave")),
  }),
  "step.in-doubt": ofStep("It is not known whether a step happened", {
    message: required(message),
    step: text("Path of the step inside it that is in doubt"),
  }),
  "approval.requested": ofStep("A human is asked", {
    tag: required(text("Name of the approval")),
    message: required(text("What is asked")),
    destructive: flag("True when data is lost"),
  }),
  "approval.answered": ofStep("A human has answered", {
    tag: required(text("Name of the approval")),
    approved: required(flag("Whether the answer was yes")),
    by: text("User and subject of the certificate"),
    how: text("`terminal`, `flag` or `inbox`"),
    reason: text("Why, when that was said"),
  }),
  "lock.acquired": ofRun("This run has locked the cluster", {
    holder: text("Run and host"),
  }),
  "lock.lost": ofRun("This run has lost the lock on the cluster", {
    holder: text("Who holds it"),
    reason,
  }),
  "secret.created": ofRun("A secret is in the vault", {
    name: required(text("Name of the entry")),
    fingerprint: text("SHA-256 of the public part, hexadecimal"),
  }),
  note: ofRun("Something else worth knowing", { message: required(message) }),
};

function ofRun(summary: string, data: Fields): EventShape {
  return { summary, path: false, node: false, data };
}

function ofStep(summary: string, data: Fields): EventShape {
  return { summary, path: true, node: false, data };
}

function ofNode(summary: string, data: Fields): EventShape {
  return { summary, path: true, node: true, data };
}

function text(summary: string): Field {
  return { type: "string", summary };
}

function count(summary: string): Field {
  return { type: "int", summary };
}

function flag(summary: string): Field {
  return { type: "bool", summary };
}

function list(summary: string): Field {
  return { type: "list", summary };
}

function names(summary: string): Field {
  return { ...list(summary), items: text("Name") };
}

function required(field: Field): Field {
  return { ...field, required: true };
}
