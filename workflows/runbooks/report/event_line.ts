/** Events as plain lines, for logs and for what must not scroll away. */

import type { EventType, RunEvent } from "../event.ts";
import { spanOf, textOf, waitingText } from "./instances.ts";
import { cell } from "../../../terminal/terminal_text.ts";
import { approval } from "./run_state.ts";
import { plannedIn } from "./step_state.ts";
import { type Awaited, awaitedOf, stoppingText } from "./stop_state.ts";

/**
 * Writes an event as one line: time, node, step, what happened.
 *
 * @param awaited Nodes a run that stops still waits for; default those the event names.
 * @returns The line without its end; `undefined` for events that say nothing to people.
 */
export function eventLine(
  event: RunEvent,
  awaited: readonly Awaited[] = awaitedOf(event),
): string | undefined {
  const reported = event.type === "run.stopping"
    ? stoppingLine(event, awaited)
    : sentences[event.type](event);
  if (reported === undefined) return undefined;
  const where = [event.node, event.path].filter((part) => part !== undefined);
  const time = event.ts.slice(11, 19);
  const text = where.length === 0
    ? reported
    : `${where.join(" ")}: ${reported}`;
  return cell(`${time} ${text}`);
}

/**
 * Tells whether an event must also be seen by a person who looks at the screen only now and then. How nodes end and
 * what is asked stays on the screen anyway.
 */
export function isNotable({ type, data }: RunEvent): boolean {
  return notable.has(type) || type === "run.waiting" && data.for !== "approval";
}

const notable: ReadonlySet<EventType> = new Set([
  "run.stopping",
  "step.failed",
  "step.in-doubt",
  "approval.answered",
  "lock.lost",
  "note",
]);

const sentences: Readonly<
  Record<
    Exclude<EventType, "run.stopping">,
    (event: RunEvent) => string | undefined
  >
> = {
  "run.planned": (event) =>
    `plan of ${nameOf(event)}: ${plannedIn(event).join(", ")}`,
  "run.started": ({ run }) => `run ${run} started`,
  "run.resumed": ({ run }) => `run ${run} resumed`,
  "run.waiting": waitingText,
  "run.ended": ({ run, data }) => `run ${run} ended: ${data.state}`,
  "group.resolved": ({ data }) => `nodes: ${listOf(data.nodes) || "none"}`,
  "node.queued": () => undefined,
  "node.entered": () => "started",
  "node.ended": (event) => whyOf(event, String(event.data.state)),
  "step.start": ({ attempt = 1 }) =>
    attempt > 1 ? `started, attempt ${attempt}` : "started",
  "step.waiting": waitingText,
  "step.progress": (event) => textOf(event, "reason"),
  "step.retry": (event) =>
    `${whyOf(event, "failed")}; again in ${spanOf(event, "waitMs")}`,
  "step.done": (event) => doneText(event),
  "step.failed": (event) => {
    if (!isOrigin(event)) return undefined;
    const artifact = textOf(event, "artifact");
    const text = whyOf(event, "failed");
    return artifact === undefined ? text : `${text}; see ${artifact}`;
  },
  "step.skipped": (event) => {
    const reason = textOf(event, "reason");
    return `skipped: ${reason === "when" ? "its condition is false" : reason}`;
  },
  "step.in-doubt": (event) =>
    isOrigin(event) ? `in doubt: ${textOf(event, "message")}` : undefined,
  "approval.requested": (event) => {
    const text = `approval ${event.data.tag}: ${textOf(event, "message")}`;
    return `${text}; answer with: ${approval(event)}`;
  },
  "approval.answered": (event) => {
    const { tag, approved } = event.data;
    const by = textOf(event, "by");
    const answer = approved === true ? "approved" : "refused";
    const reason = textOf(event, "reason");
    const why = reason === undefined ? "" : `: ${reason}`;
    const who = by === undefined ? "" : ` by ${by}`;
    return `approval ${tag}: ${answer}${who}${why}`;
  },
  "lock.acquired": () => "the run has locked the cluster",
  "lock.lost": (event) => {
    const why = textOf(event, "reason") ?? textOf(event, "holder");
    return `the run has lost its lock on the cluster${
      why === undefined ? "" : `: ${why}`
    }`;
  },
  "secret.created": ({ data }) => `secret ${data.name} was stored in the vault`,
  "note": (event) => textOf(event, "message"),
};

function stoppingLine(
  event: RunEvent,
  awaited: readonly Awaited[],
): string {
  const reason = textOf(event, "reason");
  const text = stoppingText(awaited);
  return reason === undefined ? text : `${reason}: ${text}`;
}

/** Steps that hold the one that failed fail with it, and have nothing to add. */
function isOrigin({ path, data }: RunEvent): boolean {
  return data.step === undefined || data.step === path;
}

function nameOf(event: RunEvent): string {
  return [textOf(event, "runbook"), textOf(event, "cluster")]
    .filter((part) => part !== undefined).join(" on ");
}

function listOf(value: unknown): string {
  return Array.isArray(value) ? value.join(", ") : "";
}

function whyOf(event: RunEvent, what: string): string {
  return [what, textOf(event, "code"), textOf(event, "message")]
    .filter((part) => part !== undefined).join(": ");
}

function doneText(event: RunEvent): string {
  const { data } = event;
  const text = data.changed === false ? "nothing to do" : "done";
  const span = spanOf(event, "tookMs");
  const took = span === undefined ? "" : ` in ${span}`;
  return `${text}${took}${data.recovered === true ? ", not sent again" : ""}`;
}
