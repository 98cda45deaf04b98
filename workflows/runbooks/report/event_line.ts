/** Events as plain lines, for logs and the terminal's scrollback. */

import type { EventOf, EventType, RunEvent } from "../event.ts";
import { formatCount } from "../../../lib/text/count.ts";
import { cell } from "../../../terminal/terminal_text.ts";
import {
  findId,
  formatActivity,
  formatStage,
  formatStep,
  lowerFirst,
  plainReason,
  stageTitle,
  type StepWords,
} from "./activity.ts";
import { joinParts, type StepEvent, waitingText } from "./instances.ts";
import { runEndings } from "./report_text.ts";
import { spanText } from "./span.ts";
import { approval, type RunShown } from "./run_state.ts";
import { stoppingText } from "./stop_state.ts";

/** State of a run, as far as lines need it. */
export interface LineState {
  readonly words: () => StepWords;
  readonly shown: () => Pick<RunShown, "stopping">;
}

/**
 * Formats an event as one line: time, node or step, message.
 *
 * @param state State of the run after this event.
 * @returns The line without a newline; `undefined` for events that are not for people.
 */
export function eventLine(
  event: RunEvent,
  state: LineState,
): string | undefined {
  const text = sentence(event, state);
  return text === undefined
    ? undefined
    : cell(`${event.ts.slice(11, 19)} ${text}`);
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

const stopReasons: Readonly<Record<string, string>> = {
  interrupt: "interrupted",
  stop: "stop requested",
};

function sentence(
  event: RunEvent,
  state: LineState,
): string | undefined {
  const words = state.words();
  switch (event.type) {
    case "run.planned": {
      const { runbook, cluster, stages = [] } = event.data;
      return `plan of ${runbook} on ${cluster}: ${
        stages.map(stageTitle).join(", ")
      }`;
    }
    case "run.started":
      return `run ${event.run} started`;
    case "run.resumed":
      return `run ${event.run} resumed`;
    case "run.waiting":
      return waitingText(event);
    case "run.stopping": {
      const { reason = "" } = event.data;
      const text = stoppingText(state.shown().stopping ?? []);
      return joinParts(stopReasons[reason] ?? (reason || undefined), text);
    }
    case "run.ended":
      return `run ${event.run} ${runEndings[event.data.state]}`;
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
    case "group.resolved":
      return `${formatStage(event.path, words)}: ${
        nodesText(event.data.nodes)
      }`;
    case "node.queued":
    case "node.entered":
      // The first step of the node follows.
      return undefined;
    case "node.ended":
      return `${formatStage(event.path, words)}: ${nodeResult(event, words)}`;
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
    default: {
      const text = stepText(event, words);
      return text === undefined
        ? undefined
        : `${event.node ?? formatStage(event.path, words)}: ${text}`;
    }
  }
}

const mostNames = 10;

function nodesText(nodes: readonly string[]): string {
  if (nodes.length === 0) return "no nodes";
  const left = nodes.length - mostNames;
  const more = left > 0 ? ` and ${left} more` : "";
  const names = nodes.slice(0, mostNames).join(", ");
  return `${formatCount(nodes.length, "node")}: ${names}${more}`;
}

function nodeResult(
  { node, data }: EventOf<"node.ended">,
  words: StepWords,
): string {
  const { state, step = "", code, message, tookMs, version } = data;
  if (state === "done") {
    const took = tookMs === undefined ? "" : ` in ${spanText(tookMs)}`;
    return `${node} done${took}${version === undefined ? "" : `, ${version}`}`;
  }
  const activity = formatActivity({
    node,
    state,
    step: findId(step),
    doing: words.activities.get(step) ?? "",
    text: message ?? code ?? "",
  });
  return `${node} ${activity}`;
}

/** Text of an event of a step; that of an inner step names what it does. */
function stepText(event: StepEvent, words: StepWords): string | undefined {
  const { path, node = "" } = event;
  const isTop = !path.includes("/");
  const own = isTop ? "" : words.activities.get(path) ?? "";
  const prefix = own === "" ? "" : `${own}: `;
  // Inner steps without words only group others.
  const isGroup = !isTop && own === "";
  const activity = (state: string, text: string) =>
    formatActivity({ node, state, step: "", doing: own, text });
  switch (event.type) {
    case "step.start": {
      // The nodes of a fan-out, and the question of an approval, follow.
      const { verb } = event.data;
      if (isGroup || verb === "forEach" || verb === "approve") return undefined;
      const { attempt = 1 } = event;
      const text = own || "started";
      return attempt > 1 ? `${text}, attempt ${attempt}` : text;
    }
    case "step.waiting":
      return activity("waiting", event.data.reason);
    case "step.progress": {
      const { reason } = event.data;
      if (reason === undefined) return undefined;
      if (own === "") return plainReason(reason, node);
      const text = activity("running", reason);
      // The start of the step has said so.
      return text === own ? undefined : text;
    }
    case "step.retry": {
      const { code, message, waitMs = 0 } = event.data;
      const text = activity("failed", message ?? code);
      return `${text}; again in ${spanText(waitMs)}`;
    }
    case "step.done":
      return isGroup ? undefined : `${prefix}${doneText(event.data)}`;
    case "step.failed": {
      if (!isOrigin(event)) return undefined;
      const { code, message = code, artifact } = event.data;
      const text = activity("failed", message);
      return artifact === undefined ? text : `${text}; see ${artifact}`;
    }
    case "step.skipped": {
      const { reason } = event.data;
      if (reason !== "when") {
        const step = isTop ? "" : `${formatStep(path, words)}: `;
        return `${step}skipped: ${reason}`;
      }
      const { condition, title = "" } = event.data;
      const why = condition === undefined ? "" : `: ${condition}`;
      const step = isTop || title === "" ? prefix : `${lowerFirst(title)}: `;
      return isGroup && title === ""
        ? undefined
        : `${step}skipped: its condition is false${why}`;
    }
    case "step.in-doubt":
      return isOrigin(event)
        ? `${prefix}in doubt: ${event.data.message}`
        : undefined;
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
