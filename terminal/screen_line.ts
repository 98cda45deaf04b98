/** Lines of a full screen: texts with a meaning, in the colours a terminal has. */

import type { Environment } from "./environment.ts";
import { cell } from "./terminal_text.ts";
import { type ColorChoice, hasColor, toneCodes } from "./tone.ts";
import type { Tone } from "./tone.ts";

/** What a part of a screen is, beside what texts mean anywhere. */
export type ScreenStyle = Tone | "title" | "selected" | "match";

/** A part of a line. */
export interface Span {
  /** Text; control characters are stripped. */
  readonly text: string;
  /** What it is; default plain text. */
  readonly style?: ScreenStyle | undefined;
}

/** A line: plain, or of parts. */
export type ScreenLine = string | readonly Span[];

/** How many colours there are. */
export type ColorDepth = "none" | 16 | 256;

/** Parameters of SGR, ECMA-48 8.3.117. Without colours there are bold, faint and reverse, as a printed page has. */
const codes: Readonly<
  Record<ColorDepth, Readonly<Partial<Record<ScreenStyle, string>>>>
> = {
  none: { title: "1", selected: "7", match: "1;7", muted: "2", bad: "1" },
  16: { ...toneCodes, title: "1", selected: "7", match: "30;43" },
  256: {
    ...toneCodes,
    title: "1",
    // A background of its own keeps the colours of the text apart from those of states.
    selected: "1;38;5;231;48;5;24",
    match: "38;5;16;48;5;220",
    muted: "38;5;245",
  },
};

/**
 * Finds out how many colours a terminal has.
 *
 * @param choice What the user asked for.
 */
export function colorDepth(
  choice: ColorChoice,
  { env }: Pick<Environment, "env">,
): ColorDepth {
  if (!hasColor(choice, { terminal: true, env })) return "none";
  const term = env("TERM") ?? "";
  const isMono = term === "" || /^vt\d|-m(?:ono)?$/.test(term);
  if (isMono && choice !== "always") return "none";
  const isLarge = /256color|direct|kitty|alacritty|ghostty/.test(term) ||
    /truecolor|24bit/.test(env("COLORTERM") ?? "");
  return isLarge ? 256 : 16;
}

/** The text of a line without what its parts are. */
export function lineText(line: ScreenLine): string {
  return typeof line === "string"
    ? line
    : line.map(({ text }) => text).join("");
}

interface LinePaint {
  readonly columns: number;
  readonly depth: ColorDepth;
  /** Hides secrets. */
  readonly mask: (text: string) => string;
}

/** Writes a line for a terminal: on one line, cut to its width, without anything that would control it. */
export function paintedLine(
  line: ScreenLine,
  { columns, depth, mask }: LinePaint,
): string {
  const whole = lineText(line);
  const masked = mask(whole);
  const spans = typeof line === "string" || masked !== whole
    // A secret may be in several parts; without them it is hidden in all.
    ? [{ text: masked }]
    : line;
  let room = columns;
  let text = "";
  for (const { text: part, style } of spans as readonly Span[]) {
    const fitting = takeFirst(cell(part), room);
    if (fitting === "") continue;
    room -= [...fitting].length;
    const code = style && codes[depth][style];
    text += code ? `\x1b[${code}m${fitting}\x1b[0m` : fitting;
    if (room <= 0) break;
  }
  return text;
}

function takeFirst(text: string, count: number): string {
  return text.length <= count ? text : [...text].slice(0, count).join("");
}
