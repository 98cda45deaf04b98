/** Full-screen view of a run: its nodes, one node in detail, and keys to approve, stop and skip. */

import { cell } from "../../../terminal/terminal_text.ts";
import type { Size } from "../../../terminal/environment.ts";
import { byUrgency } from "../../operations/node_rows.ts";
import type { RunEvent } from "../event.ts";
import { formatStep, plainReason, type StepWords } from "./activity.ts";
import { eventLine } from "./event_line.ts";
import { type Instance, listLeaves } from "./instances.ts";
import type { NodeShown } from "./node_state.ts";
import { nodeLines } from "./node_lines.ts";
import { type DrawnLine, drawRun, foldLine, headLines } from "./run_screen.ts";
import type { PendingQuestion, RunShown } from "./run_state.ts";
import { stateMark } from "./stage_line.ts";

/** Action requested by a key. */
export type WatchAction =
  | {
    readonly kind: "stop";
  }
  | {
    readonly kind: "answer";
    readonly tag: string;
    readonly approved: boolean;
  }
  | {
    readonly kind: "skip";
    readonly path: string;
    /** Node; absent outside fan-outs. */
    readonly node?: string;
    readonly reason: string;
  };

interface KeyPrompt {
  readonly question: string;
  /** Text typed so far; only for prompts that need more than a key. */
  readonly text?: string;
  /** Action to run when confirmed; `undefined` if more has to be typed. */
  readonly act: (text: string) => WatchAction | undefined;
}

/** State of the screen. */
export interface WatchState {
  readonly run: RunShown;
  readonly events: readonly RunEvent[];
  /** Steps on their nodes. */
  readonly instances: ReadonlyMap<string, Instance>;
  readonly words: StepWords;
  /** Whether a process is running it: only then it can be approved, stopped or skipped. */
  readonly isRunning: boolean;
  /** Selected node; empty at first. */
  readonly node: string;
  /** Whether the details of that node are open. */
  readonly isOpen: boolean;
  /** Question being answered. */
  readonly typing?: KeyPrompt | undefined;
  /** Result of the last key, or why it did nothing. */
  readonly message: string;
  /** Action to run; left to the caller that shows the screen. */
  readonly action?: WatchAction | undefined;
}

const moveKeys = "j/k select  enter details";
const runKeys = "a approve  r refuse  x skip step  s stop";

/** State after a key; `undefined` closes the screen. */
export function press(state: WatchState, key: string): WatchState | undefined {
  const typing = findTyping(state);
  if (typing !== undefined) return typeKey(state, typing, key);
  switch (key) {
    case "q":
      return undefined;
    case "j":
    case "\x1b[B":
      return moveBy(state, 1);
    case "k":
    case "\x1b[A":
      return moveBy(state, -1);
    case "\r":
    case "\n":
      return { ...state, isOpen: selectedIn(state) !== undefined };
    case "\x1b":
    case "\x7f":
      return { ...state, isOpen: false, message: "" };
    default:
      return startAction(state, key);
  }
}

/** Question being answered; none once no process is left to act on the answer. */
function findTyping({ isRunning, typing }: WatchState): KeyPrompt | undefined {
  return isRunning ? typing : undefined;
}

/** State after a key that requests an action. */
function startAction(state: WatchState, key: string): WatchState {
  if (!["a", "r", "s", "x"].includes(key)) return state;
  if (!state.isRunning) {
    return { ...state, message: "The run is not in progress" };
  }
  if (key === "s") {
    const question = "Stop the run at the next safe point? (y/n)";
    return askText(state, { question, act: () => ({ kind: "stop" }) });
  }
  return key === "x" ? skipping(state) : answering(state, key === "a");
}

function answering(state: WatchState, approved: boolean): WatchState {
  const [question] = state.run.asked;
  if (question === undefined) {
    return { ...state, message: "No approval is requested" };
  }
  if (approved && isDestructive(state, question)) {
    const message = `Data may be lost: approve with ${question.command}`;
    return { ...state, message };
  }
  const { tag, message } = question;
  const verb = approved ? "Approve" : "Refuse";
  return askText(state, {
    question: `${cell(message)} ${verb} "${tag}"? (y/n)`,
    act: () => ({ kind: "answer", tag, approved }),
  });
}

function isDestructive(
  { events }: WatchState,
  { tag }: PendingQuestion,
): boolean {
  return events.some((event) =>
    event.type === "approval.requested" && event.data.tag === tag &&
    event.data.destructive === true
  );
}

/** Kinds of events of an unfinished step. */
const open: ReadonlySet<string> = new Set([
  "step.start",
  "step.waiting",
  "step.progress",
  "step.retry",
]);

function skipping(state: WatchState): WatchState {
  const node = selectedIn(state)?.node;
  const last = state.events.findLast((event) =>
    event.node === node && event.type.startsWith("step.")
  );
  const isOpen = last !== undefined && open.has(last.type);
  const stage = state.run.stages.find(({ at, fanOut, state }) =>
    at !== "" && !fanOut && (state === "running" || state === "waiting")
  );
  const path = isOpen && node !== undefined ? last.path : stage?.at;
  if (path === undefined) {
    return {
      ...state,
      message: `No step is in progress on ${node ?? "a node"}`,
    };
  }
  const where = isOpen && node !== undefined ? { node } : {};
  const on = where.node === undefined ? "" : ` on ${where.node}`;
  return askText(state, {
    question: `Skip "${formatStep(path, state.words)}"${on}, because:`,
    text: "",
    act: (reason) =>
      reason === "" ? undefined : { kind: "skip", path, ...where, reason },
  });
}

function askText(state: WatchState, typing: KeyPrompt): WatchState {
  return { ...state, typing, message: "" };
}

function typeKey(
  state: WatchState,
  typing: KeyPrompt,
  key: string,
): WatchState {
  const { text, act } = typing;
  const ended = { ...state, typing: undefined };
  if (key === "\x1b") return { ...ended, message: "Nothing was done" };
  if (text === undefined) {
    return key === "y"
      ? { ...ended, action: act("") }
      : { ...ended, message: "Nothing was done" };
  }
  if (key === "\r" || key === "\n") {
    const action = act(text.trim());
    return action === undefined
      ? { ...ended, message: "Nothing was done: a reason is required" }
      : { ...ended, action };
  }
  const next = key === "\x7f"
    ? text.slice(0, -1)
    : key.startsWith("\x1b")
    ? text
    : text + key;
  return { ...state, typing: { ...typing, text: next } };
}

function moveBy(state: WatchState, by: number): WatchState {
  const nodes = byUrgency(state.run.nodes);
  const selected = selectedIn(state)?.node;
  const at = nodes.findIndex(({ node }) => node === selected);
  const next = Math.min(nodes.length - 1, Math.max(0, at + by));
  return { ...state, node: nodes[next]?.node ?? "", message: "" };
}

/** The selected node; the most urgent one if none is selected. */
function selectedIn({ run, node }: WatchState): NodeShown | undefined {
  return run.nodes.find((one) => one.node === node) ??
    byUrgency(run.nodes)[0];
}

/**
 * Draws the screen.
 *
 * @param now The present, in milliseconds since 1970.
 * @returns Lines from top to bottom, no more than the screen has rows.
 */
export function draw(
  state: WatchState,
  { columns, rows }: Size,
  now: number,
): readonly DrawnLine[] {
  const { run, isOpen, isRunning, message } = state;
  const typing = findTyping(state);
  const prompt = typing === undefined
    ? message
    : `${typing.question} ${typing.text ?? ""}${
      typing.text === undefined ? "" : "_"
    }`;
  const keys = [moveKeys, ...isRunning ? [runKeys] : [], "q quit"].join("  ");
  const bottom = [...foldLine(prompt, columns), keys].map(plainLine);
  const room = { columns, rows: Math.max(1, rows - bottom.length) };
  const selected = selectedIn(state);
  const body = isOpen && selected !== undefined
    ? details(state, selected, room, now)
    : drawRun(run, room, now, { selected: selected?.node, keys: true });
  const blank = Array<DrawnLine>(Math.max(0, room.rows - body.length)).fill([]);
  return [...body, ...blank, ...bottom];
}

function plainLine(text: string): DrawnLine {
  return text === "" ? [] : [{ text }];
}

/** Steps of a node, evidence of its failures, and the end of its log. */
function details(
  { run, instances, words, events }: WatchState,
  selected: NodeShown,
  { columns, rows }: Size,
  now: number,
): readonly DrawnLine[] {
  const state = { words: () => words, shown: () => run };
  const own = events.filter(({ node }) => node === selected.node);
  // A step whose condition does not hold is none of this node.
  const ofNode = [...instances.values()].filter(({ node, state, message }) =>
    node === selected.node && !(state === "skipped" && message === "when")
  );
  const steps = listLeaves(ofNode).map((one) => {
    const why = one.message === undefined
      ? ""
      : `: ${plainReason(cell(one.message), selected.node)}`;
    const [first = "", ...others] = foldLine(
      `${formatStep(one.path, words)}${why}`,
      columns - 4,
    );
    return [
      [{ text: "  " }, stateMark(one.state), { text: ` ${first}` }],
      ...others.map((line) => plainLine(`    ${line}`)),
    ];
  });
  const evidence = [
    ...new Set(
      own.flatMap((event) =>
        event.type === "step.failed" ? event.data.artifact ?? [] : []
      ),
    ),
  ].map((path) => plainLine(`  ${path}`));
  const log = own.flatMap((event) => eventLine(event, state) ?? [])
    .map((line) => foldLine(`  ${line}`, columns).map(plainLine));
  const head = [
    ...headLines(run, columns, now),
    [],
    ...nodeLines({ ...run, nodes: [selected] }, { columns, rows: 1 }, now),
  ];
  const least = Math.min(log.flat().length, Math.max(3, Math.floor(rows / 2)));
  const stepRoom = Math.max(
    1,
    rows - least - evidence.length - head.length - 3,
  );
  const fixed = [
    ...head,
    plainLine("Steps"),
    ...takeLast(steps, stepRoom),
    ...evidence.length === 0 ? [] : [plainLine("Evidence"), ...evidence],
    plainLine("Log"),
  ];
  return [...fixed, ...takeLast(log, Math.max(1, rows - fixed.length))]
    .slice(0, rows);
}

/** The last entries that fit, each starting with its first line. */
function takeLast(
  entries: readonly (readonly DrawnLine[])[],
  rows: number,
): readonly DrawnLine[] {
  let from = entries.length;
  let left = rows;
  while (from > 0 && (entries[from - 1]?.length ?? 0) <= left) {
    from--;
    left -= entries[from]?.length ?? 0;
  }
  return from === entries.length
    ? (entries.at(-1) ?? []).slice(0, rows)
    : entries.slice(from).flat();
}
