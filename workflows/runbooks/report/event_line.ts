/** Events as plain lines, for logs and the terminal's scrollback. */

import type { EventOf, EventType, RunEvent } from "../event.ts";
import { joinParts, waitingText } from "./instances.ts";
import { spanText } from "./span.ts";
import { cell } from "../../../terminal/terminal_text.ts";
import { approval } from "./run_state.ts";
import { type Awaited, stoppingText } from "./stop_state.ts";

/**
 * Formats an event as one line: time, node, step, message.
 *
 * @param awaited Nodes that a stopping run still waits for; default those in the event.
 * @returns The line without a newline; `undefined` for events that are not for people.
 */
export function eventLine(
  event: RunEvent,
  awaited: readonly Awaited[] = event.type === "run.stopping"
    ? event.data.waiting ?? []
    : [],
): string | undefined {
  const reported = sentence(event, awaited);
  if (reported === undefined) return undefined;
  const where = [event.node, event.path].filter((part) => part !== undefined);
  const time = event.ts.slice(11, 19);
  const text = where.length === 0
    ? reported
    : `${where.join(" ")}: ${reported}`;
  return cell(`${time} ${text}`);
}

/**
 * Reports whether an event must also reach a person who rarely looks at the screen. Results of nodes and questions stay
 * on the screen anyway.
 */
export function isNotable(event: RunEvent): boolean {
  return notable.has(event.type) ||
    event.type === "run.waiting" && event.data.for !== "approval";
}

const notable: ReadonlySet<EventType> = new Set([
  "run.stopping",
  "step.failed",
  "step.in-doubt",
  "approval.answered",
  "lock.lost",
  "note",
]);

function sentence(event: RunEvent, awaited: readonly Awaited[]) {
  switch (event.type) {
    case "run.planned": {
      const { runbook, cluster, stages = [] } = event.data;
      const paths = stages.map(({ path }) => path).join(", ");
      return `plan of ${runbook} on ${cluster}: ${paths}`;
    }
    case "run.started":
      return `run ${event.run} started`;
    case "run.resumed":
      return `run ${event.run} resumed`;
    case "run.stopping": {
      const { reason } = event.data;
      const text = stoppingText(awaited);
      return reason === undefined ? text : `${reason}: ${text}`;
    }
    case "run.ended":
      return `run ${event.run} ended: ${event.data.state}`;
    case "group.resolved":
      return `nodes: ${event.data.nodes.join(", ") || "none"}`;
    case "node.queued":
      return undefined;
    case "node.entered":
      return "started";
    case "node.ended": {
      const { state, code, message } = event.data;
      return joinParts(state, code, message);
    }
    case "step.start": {
      const { attempt = 1 } = event;
      return attempt > 1 ? `started, attempt ${attempt}` : "started";
    }
    case "run.waiting":
    case "step.waiting":
      return waitingText(event);
    case "step.progress":
      return event.data.reason;
    case "step.retry": {
      const { code, message, waitMs = 0 } = event.data;
      return `${joinParts("failed", code, message)}; again in ${
        spanText(waitMs)
      }`;
    }
    case "step.done":
      return doneText(event.data);
    case "step.failed": {
      if (!isOrigin(event)) return undefined;
      const { code, message, artifact } = event.data;
      const text = joinParts("failed", code, message);
      return artifact === undefined ? text : `${text}; see ${artifact}`;
    }
    case "step.skipped": {
      const { reason } = event.data;
      return `skipped: ${
        reason === "when" ? "its condition is false" : reason
      }`;
    }
    case "step.in-doubt":
      return isOrigin(event) ? `in doubt: ${event.data.message}` : undefined;
    case "approval.requested": {
      const { tag, message } = event.data;
      return `approval ${tag}: ${message}; answer with: ${approval(event)}`;
    }
    case "approval.answered": {
      const { tag, approved, by, reason } = event.data;
      const who = by === undefined ? "" : ` by ${by}`;
      const answer = approved ? "approved" : "refused";
      return joinParts(`approval ${tag}`, `${answer}${who}`, reason);
    }
    case "lock.acquired":
      return "the run has locked the cluster";
    case "lock.lost": {
      const { reason, holder } = event.data;
      return joinParts(
        "the run has lost its lock on the cluster",
        reason ?? holder,
      );
    }
    case "secret.created":
      return `secret ${event.data.name} was stored in the vault`;
    case "note":
      return event.data.message;
  }
}

/** Reports whether the failure started in this step; enclosing steps fail with it, and add nothing. */
function isOrigin(
  { path, data: { step } }: EventOf<"step.failed" | "step.in-doubt">,
): boolean {
  return step === undefined || step === path;
}

function doneText(
  { changed, tookMs, recovered }: EventOf<"step.done">["data"],
): string {
  const text = changed === false ? "nothing to do" : "done";
  const took = tookMs === undefined ? "" : ` in ${spanText(tookMs)}`;
  return `${text}${took}${recovered ? ", not sent again" : ""}`;
}
