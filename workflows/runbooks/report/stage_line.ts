/** Steps of a run as one row. */

import { fitText } from "../../../terminal/drawing.ts";
import { textWidth } from "../../../terminal/text_width.ts";
import { cell } from "../../../terminal/terminal_text.ts";
import { progressTone, type TonedPart } from "../../../terminal/tone.ts";
import { countFinished } from "./run_progress.ts";
import type { RunShown } from "./run_state.ts";
import type { StageShown } from "./step_state.ts";

/** Marks of states, all one column wide. */
const marks: Readonly<Record<string, string>> = {
  next: "○",
  queued: "○",
  "not-reached": "○",
  running: "●",
  waiting: "●",
  interrupted: "●",
  open: "●",
  done: "✓",
  unchanged: "✓",
  skipped: "–",
};

/** Mark of the state of a step or node: `✓` if it is done. */
export function stateMark(state: string): TonedPart {
  const style = state === "open" ? "changing" : progressTone(state);
  return {
    text: marks[state] ?? "✗",
    style: state === "next" ? "muted" : style ?? "bad",
  };
}

interface Segment {
  readonly state: string;
  readonly text: string;
}

const gap = "  ";

/** Longest title in a row without room for all of them. */
const widestTitle = 36;

/** Draws the steps; if there is not enough room, finished ones are counted and the last ones omitted. */
export function stageLine(
  run: RunShown,
  columns: number,
): readonly TonedPart[] {
  const { stages } = run;
  const all = stages.map((stage): Segment => ({
    state: stage.state,
    text: `${cell(stage.title)}${countText(stage, run)}`,
  }));
  if (measure(all) <= columns) return join(all);
  const open = all.findIndex(({ state }) =>
    state !== "done" && state !== "skipped"
  );
  const from = open < 0 ? all.length : open;
  const shown: Segment[] = from === 0
    ? []
    : [{ state: "done", text: `${from} done` }];
  const rest = stages.slice(from);
  for (const [at, stage] of rest.entries()) {
    const count = countText(stage, run);
    const text = `${fitText(cell(stage.title), widestTitle)}${count}`;
    const left = rest.length - at - 1;
    const more = left === 0 ? 0 : `${gap}+${left} more`.length;
    const longer = [...shown, { state: stage.state, text }];
    if (at > 0 && measure(longer) + more > columns) {
      return [...join(shown), { text: `${gap}+${left + 1} more` }];
    }
    shown.push({ state: stage.state, text });
  }
  return join(shown);
}

/** Finished nodes of the fan-outs in a step: ` 1/3`. */
function countText(stage: StageShown, run: RunShown): string {
  const { ended, total } = countFinished(stage, run);
  return total === 0 ? "" : ` ${ended}/${total}`;
}

function measure(segments: readonly Segment[]): number {
  return segments.reduce(
    (sum, { text }) => sum + textWidth(text) + 2 + gap.length,
    -gap.length,
  );
}

function join(segments: readonly Segment[]): readonly TonedPart[] {
  return segments.flatMap(({ state, text }, i) => [
    ...i === 0 ? [] : [{ text: gap }],
    stateMark(state),
    { text: ` ${text}` },
  ]);
}
