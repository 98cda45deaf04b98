/** Styled lines of a full screen. */

import type { Environment } from "./environment.ts";
import { cell } from "./terminal_text.ts";
import { takeColumns, textWidth } from "./text_width.ts";
import { type ColorChoice, hasColor, toneCodes } from "./tone.ts";
import type { Tone } from "./tone.ts";

/** Style of a part of a screen. */
export type ScreenStyle = Tone | "title" | "selected" | "match";

/** A part of a line. */
export interface Span {
  /** Text; control characters are stripped. */
  readonly text: string;
  /** Style; default plain text. */
  readonly style?: ScreenStyle | undefined;
}

/** A line: plain, or in parts. */
export type ScreenLine = string | readonly Span[];

/** Number of colours. */
export type ColorDepth = "none" | 16 | 256;

/** SGR parameters, ECMA-48 8.3.117. Without colours: bold, faint and reverse. */
const codes: Readonly<
  Record<ColorDepth, Readonly<Partial<Record<ScreenStyle, string>>>>
> = {
  none: { title: "1", selected: "7", match: "1;7", muted: "2", bad: "1" },
  16: { ...toneCodes, title: "1", selected: "7", match: "30;43" },
  256: {
    ...toneCodes,
    title: "1",
    // Its own background separates the text from state colours.
    selected: "1;38;5;231;48;5;24",
    match: "38;5;16;48;5;220",
    muted: "38;5;245",
  },
};

/**
 * Detects the number of colours of a terminal.
 *
 * @param choice Choice of the user.
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

/** Text of a line without styles. */
export function lineText(line: ScreenLine): string {
  return typeof line === "string"
    ? line
    : line.map(({ text }) => text).join("");
}

interface LinePaint {
  readonly columns: number;
  readonly depth: ColorDepth;
  /** Masks secrets. */
  readonly mask: (text: string) => string;
}

/** Formats a line for a terminal: a single line without control characters; `…` where it is cut to the width. */
export function paintedLine(
  line: ScreenLine,
  { columns, depth, mask }: LinePaint,
): string {
  const whole = lineText(line);
  const masked = mask(whole);
  const spans = typeof line === "string" || masked !== whole
    // A secret may span several parts; then the line loses its styles.
    ? [{ text: masked }]
    : line;
  const parts = (spans as readonly Span[])
    .map(({ text, style }) => ({ text: cell(text), style }));
  // Spaces that pad a line are not missed.
  const needed = textWidth(lineText(parts).trimEnd());
  const isCut = needed > columns;
  let room = isCut ? columns - 1 : columns;
  let text = "";
  for (const { text: part, style } of parts) {
    const taken = takeColumns(part, room);
    const isLast = isCut && taken !== part;
    const fitting = isLast ? `${taken}…` : taken;
    if (fitting !== "") {
      const code = style && codes[depth][style];
      text += code ? `\x1b[${code}m${fitting}\x1b[0m` : fitting;
    }
    if (isLast) break;
    room -= textWidth(fitting);
  }
  return text;
}
