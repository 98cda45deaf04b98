/** Parts of a picture with a known height, so that they can be stacked. */

import { escapeHtml } from "./page.ts";

/** Part of a picture; its origin is the upper left corner. */
export interface SvgDrawing {
  readonly height: number;
  readonly svg: string;
}

/** Style of text, a class of {@linkcode pictureStyle}. */
export type Ink =
  | "text"
  | "quiet"
  | "good"
  | "bad"
  | "warn"
  | "change"
  | "strong";

/** Height of a line of text. */
export const lineHeight = 20;

/** Width of a character; the font is monospaced. */
const characterWidth = 7.25;

/** Empty drawing. */
export const empty: SvgDrawing = { height: 0, svg: "" };

/** Number of characters that fit. */
export function charactersIn(width: number): number {
  return Math.max(1, Math.floor(width / characterWidth));
}

/** Width of a text in pixels. */
export function measureWidth(text: string): number {
  return [...text].length * characterWidth;
}

/** Stacks parts vertically. */
export function stack(parts: readonly SvgDrawing[], gap = 0): SvgDrawing {
  const shown = parts.filter(({ height }) => height > 0);
  let y = 0;
  const placed = shown.map((part) => {
    const at = y;
    y += part.height + gap;
    return translate(part, 0, at);
  });
  return { height: Math.max(0, y - gap), svg: placed.join("") };
}

/** Moves a part. */
export function translate({ svg }: SvgDrawing, x: number, y: number): string {
  return `<g transform="translate(${round(x)} ${round(y)})">${svg}</g>\n`;
}

/**
 * Draws a line of text, truncated to the available width; the tooltip has the full text.
 *
 * @param width Available width in pixels.
 */
export function line(text: string, width: number, ink: Ink, x = 0): SvgDrawing {
  const room = charactersIn(width - x);
  const flat = text.replace(/\s+/g, " ").trim();
  if (flat === "") return { height: lineHeight, svg: "" };
  const characters = [...flat];
  const isCut = characters.length > room;
  const shown = isCut ? `${characters.slice(0, room - 1).join("")}…` : flat;
  const title = isCut ? `<title>${escapeHtml(flat)}</title>` : "";
  return {
    height: lineHeight,
    svg: `<text class="${ink}" x="${round(x)}" y="14">${title}${
      escapeHtml(shown)
    }</text>`,
  };
}

/** Draws a text with line breaks. `width`: available width in pixels. */
export function paragraph(
  text: string,
  width: number,
  ink: Ink,
  x = 0,
): SvgDrawing {
  const room = charactersIn(width - x);
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((word) => word !== "")) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length === 0 || longer.length > room) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return stack(lines.map((one) => line(one, width, ink, x)));
}

/** Puts a part into a box. `look`: class and padding of the box. */
export function box(
  part: SvgDrawing,
  width: number,
  { look, pad = 10 }: { readonly look: string; readonly pad?: number },
): SvgDrawing {
  const height = part.height + 2 * pad;
  return {
    height,
    svg: `<rect class="${look}" x="0.5" y="0.5" width="${
      round(width - 1)
    }" height="${round(height - 1)}" rx="6"/>${translate(part, pad, pad)}`,
  };
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

/** Styles of the classes used here. */
export const pictureStyle = `svg text { fill: var(--text); white-space: pre; }
svg .quiet { fill: var(--quiet); }
svg .good { fill: var(--good); }
svg .bad { fill: var(--bad); }
svg .warn { fill: var(--warn); }
svg .change { fill: var(--change); }
svg .strong { font-weight: 600; }
svg rect, svg polygon, svg circle, svg path { stroke: var(--line); fill: var(--card); }
svg .plain { fill: var(--ground); }
svg .left-out { fill: none; stroke-dasharray: 2 4; }
svg .unknown { stroke: var(--quiet); stroke-dasharray: 5 3; }
svg .changes { fill: var(--soft-change); stroke: var(--change); }
svg .holds { fill: var(--soft-good); stroke: var(--good); }
svg .waits { fill: var(--soft-warn); stroke: var(--warn); }
svg .fails { fill: var(--soft-bad); stroke: var(--bad); }
svg .no-return { fill: none; stroke: var(--bad); stroke-width: 3; }
svg .arrow { fill: var(--line); }
`;
