/** What colours mean: the one place where they are chosen. */

/** What a text means. */
export type Tone =
  | "good"
  | "changing"
  | "bad"
  | "muted"
  | "added"
  | "removed";

/** Gives a text the colour of what it means; leaves it as it is where colours are not shown. */
export type Paint = (text: string, tone: Tone | undefined) => string;

/** When there are colours. */
export type ColorChoice = "auto" | "always" | "never";

/** Numbers of SGR, ECMA-48 8.3.117: colours of the terminal's own palette, which fit light and dark. */
export const toneCodes: Readonly<Record<Tone, string>> = {
  good: "32",
  changing: "33",
  bad: "31",
  muted: "2",
  added: "32",
  removed: "31",
};

/** Leaves all texts as they are; who has it need not look for tones, which takes half as long as a line of a log. */
export function unpainted(text: string): string {
  return text;
}

/** Makes what colours texts. `isOn`: false for {@linkcode unpainted}. */
export function painter(isOn: boolean): Paint {
  if (!isOn) return unpainted;
  return (text, tone) =>
    tone !== undefined && text !== ""
      ? `\x1b[${toneCodes[tone]}m${text}\x1b[0m`
      : text;
}

/**
 * Decides whether a stream gets colours.
 *
 * @param choice What was asked for; `auto` means a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
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

/** What the name of a state means: `Running` is good, `booting` changing, `Failed` bad. */
export function stateTone(state: string): Tone | undefined {
  return tones.get(state.toLowerCase().replace(/[^a-z]/g, ""));
}

/** States of work by what they mean, where that is not what they mean of a service: what runs has not ended well yet. */
const progress: ReadonlyMap<string, Tone> = new Map(
  Object.entries({
    good: "unchanged accepted approved",
    changing: "running recovered stopped waitingapproval indoubt",
    bad:
      "blocked interrupted damaged cancelled partial rolledback neverreturned neverrebooted timedout",
    muted: "queued pending notreached",
  }).flatMap(([tone, words]) =>
    // The keys of the table are tones.
    words.split(" ").map((word) => [word, tone as Tone] as const)
  ),
);

/** What the state of a run, a step, a node in a run or an outcome means: `done` is good, `running` changing. */
export function progressTone(state: string): Tone | undefined {
  return progress.get(state.toLowerCase().replace(/[^a-z]/g, "")) ??
    stateTone(state);
}

/** A part of a line. */
export interface TonedPart {
  readonly text: string;
  /** What it means; default nothing. */
  readonly style?: Tone | undefined;
}

const marks: Readonly<Record<string, Tone>> = {
  "[x]": "good",
  "[>]": "changing",
  "[!]": "bad",
  "[?]": "bad",
  "[ ]": "muted",
  "[-]": "muted",
};

/**
 * What the parts of a line mean that shows how far something is: of its cells, which two spaces part, those that are
 * states (`failed`, `waiting: approval go`), and marks of steps (`[x] preflight`). The first cell is a name.
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
  const mark = text.slice(0, 3);
  const style = marks[mark];
  return style && [{ text: mark, style }, { text: text.slice(3) }];
}

function stateParts(text: string): readonly TonedPart[] {
  const [state = ""] = /^[A-Za-z-]+(?=: |$)/.exec(text) ?? [];
  const style = progressTone(state);
  return style === undefined
    ? [{ text }]
    : [{ text: state, style }, { text: text.slice(state.length) }];
}

/** Gives the parts of a line their colours. */
export function paintedParts(
  parts: readonly TonedPart[],
  paint: Paint,
): string {
  return parts.map(({ text, style }) => paint(text, style)).join("");
}

/** What a line of a diff means. */
export function diffTone(line: string): Tone | undefined {
  if (/^\s*\+/.test(line)) return "added";
  if (/^\s*-/.test(line)) return "removed";
  return /^\s*@@/.test(line) ? "muted" : undefined;
}

/** What a line of a log means, by the level in it. */
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
