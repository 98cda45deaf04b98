/** Events as plain lines, for logs and for what must not scroll away. */

import type { EventType, RunEvent } from "../../../workflows/runbooks/event.ts";
import { textOf } from "../../../workflows/runbooks/report/instances.ts";
import { cell } from "../../_kit/plain.ts";
import { plannedIn } from "./stage_state.ts";
import { awaitedOf, stoppingText } from "./stopping.ts";

/**
 * Writes an event as one line: time, node, step, what happened.
 *
 * @param event The event.
 * @returns The line without its end; `undefined` for events that say nothing to people.
 */
export function eventLine(event: RunEvent): string | undefined {
  const told = sentences[event.type](event);
  if (told === undefined) return undefined;
  const where = [event.node, event.path].filter((part) => part !== undefined);
  const time = event.ts.slice(11, 19);
  const text = where.length === 0 ? told : `${where.join(" ")}: ${told}`;
  return cell(`${time} ${text}`);
}

/**
 * Tells whether an event must be seen also by somebody who looks at the screen only now and then.
 *
 * @param event The event.
 */
export function isNotable({ type, data }: RunEvent): boolean {
  return notable.has(type) ||
    type === "node.ended" && data.state !== "done" &&
      data.state !== "not-reached";
}

const notable: ReadonlySet<EventType> = new Set([
  "run.stopping",
  "run.waiting",
  "step.failed",
  "step.indoubt",
  "approve.asked",
  "approve.answered",
  "lease.lost",
  "note",
]);

const sentences: Readonly<
  Record<EventType, (event: RunEvent) => string | undefined>
> = {
  "run.planned": (event) =>
    `plan of ${nameOf(event)}: ${plannedIn(event).join(", ")}`,
  "run.started": ({ run }) => `run ${run} begins`,
  "run.resumed": ({ run }) => `run ${run} goes on`,
  "run.waiting": (event) => `waiting: ${textOf(event, "reason")}`,
  "run.stopping": (event) => {
    const reason = textOf(event, "reason");
    const text = stoppingText(awaitedOf(event));
    return reason === undefined ? text : `${reason}: ${text}`;
  },
  "run.ended": ({ run, data }) => `run ${run} ended: ${data.state}`,
  "group.resolved": ({ data }) =>
    `group ${data.group}: ${listOf(data.nodes) || "no nodes"}`,
  "node.queued": () => undefined,
  "node.entered": () => "begins",
  "node.ended": (event) => whyOf(event, String(event.data.state)),
  "step.start": ({ attempt = 1 }) =>
    attempt > 1 ? `begins, attempt ${attempt}` : "begins",
  "step.waiting": (event) => `waiting: ${textOf(event, "reason")}`,
  "step.progress": (event) => textOf(event, "text"),
  "step.retry": (event) =>
    `${whyOf(event, "failed")}; again in ${textOf(event, "in")}`,
  "step.done": (event) => doneText(event),
  "step.failed": (event) => {
    const artifact = textOf(event, "artifact");
    const text = whyOf(event, "failed");
    return artifact === undefined ? text : `${text}; see ${artifact}`;
  },
  "step.skipped": (event) => `skipped: ${textOf(event, "reason")}`,
  "step.indoubt": (event) => `in doubt: ${textOf(event, "message")}`,
  "approve.asked": (event) => {
    const command = textOf(event, "command");
    const text = `approval ${event.data.tag}: ${textOf(event, "message")}`;
    return command === undefined ? text : `${text}; answer with: ${command}`;
  },
  "approve.answered": (event) => {
    const { tag, answer } = event.data;
    const who = textOf(event, "who");
    return `approval ${tag}: ${answer}${who === undefined ? "" : ` by ${who}`}`;
  },
  "lease.taken": () => "this run holds the cluster",
  "lease.lost": (event) => {
    const why = textOf(event, "reason") ?? textOf(event, "holder");
    return `the hold on the cluster is lost${
      why === undefined ? "" : `: ${why}`
    }`;
  },
  "secret.made": ({ data }) => `secret ${data.name} is in the vault`,
  "note": (event) => textOf(event, "message"),
};

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

function doneText({ data }: RunEvent): string {
  const text = data.changed === false ? "nothing to do" : "done";
  const took = typeof data.took === "string" ? ` in ${data.took}` : "";
  return `${text}${took}${data.recovered === true ? ", found done" : ""}`;
}
