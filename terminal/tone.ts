/** Tones and their colours; defined only here. */

/** Tone of a text. */
export type Tone =
  | "good"
  | "changing"
  | "bad"
  | "muted"
  | "added"
  | "removed";

/** Colours a text by its tone; returns it unchanged without colours. */
export type Paint = (text: string, tone: Tone | undefined) => string;

/** Colour choice of the user. */
export type ColorChoice = "auto" | "always" | "never";

/**
 * SGR parameters, ECMA-48 8.3.117: the terminal's own palette, which fits light and dark themes. Magenta, not yellow,
 * which cannot be read on white in the usual palettes.
 */
export const toneCodes: Readonly<Record<Tone, string>> = {
  good: "32",
  changing: "35",
  bad: "31",
  muted: "2",
  added: "32",
  removed: "31",
};

/**
 * Returns all texts unchanged; with it, callers can skip finding tones, which takes half as long as printing a
 * log line.
 */
export function unpainted(text: string): string {
  return text;
}

/** Creates the colouring function. `isOn`: false for {@linkcode unpainted}. */
export function painter(isOn: boolean): Paint {
  if (!isOn) return unpainted;
  return (text, tone) =>
    tone !== undefined && text !== ""
      ? `\x1b[${toneCodes[tone]}m${text}\x1b[0m`
      : text;
}

/**
 * Decides whether a stream is coloured.
 *
 * @param choice `auto` means a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
 */
export function hasColor(
  choice: ColorChoice,
  { terminal, env }: {
    readonly terminal: boolean;
    /** Value of an environment variable. */
    readonly env: (name: string) => string | undefined;
  },
): boolean {
  if (choice !== "auto") return choice === "always";
  return terminal && !env("NO_COLOR") && env("TERM") !== "dumb";
}

const states: Readonly<
  Record<Extract<Tone, "good" | "changing" | "bad">, string>
> = {
  good: "running healthy ok ready up true succeeded done pass passed",
  changing:
    "starting stopping pending preparing waiting booting rebooting upgrading installing resetting shuttingdown tearingdown learner unknown skipped",
  bad: "failed unhealthy error down lost unreachable refused failing crashed",
};

const tones = new Map(
  Object.entries(states).flatMap(([tone, words]) =>
    // The keys of the table are tones.
    words.split(" ").map((word) => [word, tone as Tone])
  ),
);

/** Tone of a state: `Running` is good, `booting` changing, `Failed` bad. */
export function stateTone(state: string): Tone | undefined {
  return tones.get(state.toLowerCase().replace(/[^a-z]/g, ""));
}

/** Tones of work states that differ from those of service states: a running step has not succeeded yet. */
const progress: ReadonlyMap<string, Tone> = new Map(
  Object.entries({
    good: "unchanged accepted approved",
    changing: "running recovered stopped interrupted waitingapproval indoubt",
    bad:
      "blocked damaged cancelled partial rolledback neverreturned neverrebooted timedout",
    muted: "queued pending notreached",
  }).flatMap(([tone, words]) =>
    // The keys of the table are tones.
    words.split(" ").map((word) => [word, tone as Tone] as const)
  ),
);

/** Tone of the state of a run, a step, a node in a run or an outcome: `done` is good, `running` changing. */
export function progressTone(state: string): Tone | undefined {
  return progress.get(state.toLowerCase().replace(/[^a-z]/g, "")) ??
    stateTone(state);
}

/** A part of a line. */
export interface TonedPart {
  readonly text: string;
  /** Tone; default none. */
  readonly style?: Tone | undefined;
}

/** Marks of steps and nodes, all one column wide. */
const marks: Readonly<Record<string, Tone>> = {
  "✓": "good",
  "●": "changing",
  "✗": "bad",
  "○": "muted",
  "–": "muted",
};

/**
 * Tones for a progress line: of state cells (`failed`, `waiting: approval go`), which are separated by two spaces,
 * and of marks (`✓ preflight`). The first cell is a name.
 */
export function progressParts(line: string): readonly TonedPart[] {
  const [indent = ""] = /^ */.exec(line) ?? [];
  const [name = "", ...cells] = line.slice(indent.length).split(/( {2,})/);
  return [
    ...indent === "" ? [] : [{ text: indent }],
    ...markParts(name) ?? [{ text: name }],
    ...cells.flatMap((cell) => markParts(cell) ?? stateParts(cell)),
  ];
}

function markParts(text: string): readonly TonedPart[] | undefined {
  const mark = text.slice(0, 1);
  const style = marks[mark];
  return style && [{ text: mark, style }, { text: text.slice(1) }];
}

function stateParts(text: string): readonly TonedPart[] {
  const [state = ""] = /^[A-Za-z-]+(?=: |$)/.exec(text) ?? [];
  const style = progressTone(state);
  return style === undefined
    ? [{ text }]
    : [{ text: state, style }, { text: text.slice(state.length) }];
}

/** Colours the parts of a line. */
export function paintedParts(
  parts: readonly TonedPart[],
  paint: Paint,
): string {
  return parts.map(({ text, style }) => paint(text, style)).join("");
}

/** Tone of a diff line. */
export function diffTone(line: string): Tone | undefined {
  if (/^\s*\+/.test(line)) return "added";
  if (/^\s*-/.test(line)) return "removed";
  return /^\s*@@/.test(line) ? "muted" : undefined;
}

/** Tone of a log line by its level. */
export function logTone(line: string): Tone | undefined {
  const level =
    /"level":"(\w+)"|\blevel=(\w+)|\[(\w+)\]|: (warning|warn|err|error|crit|alert|emerg|fatal|panic|debug)\b/i
      .exec(line)?.slice(1).find((found) => found !== undefined);
  return levels[level?.toLowerCase() ?? ""];
}

const levels: Readonly<Record<string, Tone>> = {
  debug: "muted",
  trace: "muted",
  warn: "changing",
  warning: "changing",
  err: "bad",
  error: "bad",
  crit: "bad",
  critical: "bad",
  alert: "bad",
  emerg: "bad",
  fatal: "bad",
  panic: "bad",
};
