/** Parts of a drawing with a known height, so that they can be stacked. */

import { escapeHtml } from "../runbooks/plan/page/html_page.ts";

/** Part of a drawing; its origin is the upper left corner. */
export interface SvgDrawing {
  readonly height: number;
  readonly svg: string;
}

/** Height of a line of text. */
export const lineHeight = 20;

/** Width of a character; the font is monospaced. */
const characterWidth = 7.25;

/** Width of a text in pixels. */
export function measureWidth(text: string): number {
  return [...text].length * characterWidth;
}

/** Stacks parts vertically. */
export function stack(parts: readonly SvgDrawing[], gap: number): SvgDrawing {
  let y = 0;
  const placed = parts.map((part) => {
    const at = y;
    y += part.height + gap;
    return translate(part, 0, at);
  });
  return { height: Math.max(0, y - gap), svg: placed.join("") };
}

/** Moves a part. */
export function translate({ svg }: SvgDrawing, x: number, y: number): string {
  return `<g transform="translate(${x} ${y})">${svg}</g>\n`;
}

/**
 * Draws a line of strong text, truncated to the available width; the tooltip has the full text.
 *
 * @param width Available width in pixels.
 */
export function line(text: string, width: number): string {
  const room = Math.max(1, Math.floor(width / characterWidth));
  const characters = [...text];
  const isCut = characters.length > room;
  const shown = isCut ? `${characters.slice(0, room - 1).join("")}…` : text;
  const title = isCut ? `<title>${escapeHtml(text)}</title>` : "";
  return `<text class="strong" x="0" y="14">${title}${
    escapeHtml(shown)
  }</text>`;
}
