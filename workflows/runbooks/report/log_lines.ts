/** Log of a run for readers without a terminal: one line for each step that did something or took time. */

import type { RunEvent } from "../event.ts";
import { eventLine, type LineState } from "./event_line.ts";

/** Time between two lines of a step, and from its start to the first, in milliseconds. */
export const briefMs = 1_000;

interface OpenStep {
  /** Time of its start or last line. */
  at: number;
  /** False for steps that only check or read. */
  readonly acts: boolean;
  /** Its last report, until it is printed. */
  held?: string | undefined;
  /** True if that came after its start. */
  isResult?: boolean;
}

interface RunLog {
  /** Lines to print after an event. */
  readonly take: (event: RunEvent) => readonly string[];
  /** Lines of the steps that have taken a while. `now`: in milliseconds since 1970. */
  readonly takeHeld: (now: number) => readonly string[];
}

/** Makes the log of a run; its state receives each event first. */
export function runLog(state: LineState): RunLog {
  const open = new Map<string, OpenStep>();
  /** Line and time of a question that may be answered at once, by a flag. */
  let question: { readonly line: string; readonly at: number } | undefined;

  function takeQuestion(): readonly string[] {
    const lines = question === undefined ? [] : [question.line];
    question = undefined;
    return lines;
  }

  function takeHeld(now: number): readonly string[] {
    const asked = question !== undefined && now - question.at >= briefMs
      ? takeQuestion()
      : [];
    return [...asked, ...takeSteps(now)];
  }

  function takeSteps(now: number): readonly string[] {
    return [...open.values()].flatMap((step) => {
      const { held, at } = step;
      if (held === undefined || now - at < briefMs) return [];
      step.held = undefined;
      step.at = now;
      return [held];
    });
  }

  function takeOwn(event: RunEvent, now: number): readonly string[] {
    const line = eventLine(event, state);
    const lines = line === undefined ? [] : [line];
    const { type, path = "", node = "" } = event;
    const key = `${path}\n${node}`;
    switch (type) {
      case "approval.requested":
        question = line === undefined ? undefined : { line, at: now };
        return [];
      case "step.start": {
        const { verb, reads } = event.data;
        const acts = verb === "run" && !reads || !path.includes("/");
        open.set(key, { at: now, acts, held: line });
        return [];
      }
      case "step.progress": {
        const step = open.get(key);
        if (step === undefined) return lines;
        if (line !== undefined) {
          Object.assign(step, { held: line, isResult: true });
        }
        return [];
      }
      case "step.done": {
        const step = open.get(key);
        open.delete(key);
        const { tookMs = 0, changed } = event.data;
        // What a step of the whole run reports last is a result: rollouts that continue later, the path of a bundle.
        const isResult = !path.includes("/") && step?.isResult === true;
        const last = isResult && step.held !== undefined ? [step.held] : [];
        const isTrivial = path.includes("/") && tookMs < briefMs &&
          (step?.acts === false || changed === false);
        return isTrivial ? [] : [...last, ...lines];
      }
      case "step.waiting": {
        const step = open.get(key);
        if (step !== undefined) step.held = undefined;
        return lines;
      }
      case "step.skipped":
        open.delete(key);
        // The steps of a node that does not need them are many.
        return event.data.reason === "when" && path.includes("/") ? [] : lines;
      case "step.failed":
      case "step.in-doubt":
        open.delete(key);
        return lines;
      default:
        return lines;
    }
  }

  return {
    take(event) {
      const now = Date.parse(event.ts);
      // What happens to the same step makes its held line superfluous.
      if (event.type === "approval.answered") question = undefined;
      const asked = takeQuestion();
      const own = takeOwn(event, now);
      return [...asked, ...takeHeld(now), ...own];
    },
    takeHeld,
  };
}
