/** Rows of texts and logs as the user wants them: wrapped, and without time stamps. */

import { processMasker } from "../../../lib/masker.ts";
import {
  lineText,
  type ScreenLine,
  type Span,
} from "../../../terminal/screen_line.ts";
import { cell } from "../../../terminal/terminal_text.ts";
import { takeColumns, textWidth } from "../../../terminal/text_width.ts";
import type { PageContent, PageRow } from "./page.ts";

/** Continues lines of texts and logs that are wider than the screen on the next rows. */
export function wrapRows(content: PageContent, columns: number): PageContent {
  if (content.kind === "list") return content;
  return {
    ...content,
    rows: content.rows.flatMap((row): readonly PageRow[] =>
      wrapLine(row.line, columns).map((line, i) =>
        i === 0 ? { ...row, line } : { ...row, line, continues: true }
      )
    ),
  };
}

function wrapLine(line: ScreenLine, columns: number): readonly ScreenLine[] {
  const whole = lineText(line);
  if (textWidth(whole) <= columns) return [line];
  // No row has all of a secret that is continued on the next one.
  const masked = processMasker.mask(whole);
  const spans: readonly Span[] = typeof line === "string" || masked !== whole
    ? [{ text: masked }]
    : line;
  const rows: Span[][] = [[]];
  let room = columns;
  for (const { text, style } of spans) {
    for (let rest = cell(text); rest !== "";) {
      const taken = takeColumns(rest, room);
      const isFull = taken === "";
      // A character that is wider than the screen has no room anywhere.
      if (isFull && room === columns) break;
      if (!isFull) rows.at(-1)?.push({ text: taken, style });
      rest = rest.slice(taken.length);
      room -= textWidth(taken);
      if (rest === "") break;
      rows.push([]);
      room = columns;
    }
  }
  return rows;
}

/** The first time stamp of a line: of the kernel with facility and priority, of klog, ISO 8601, or of Go's log. */
const timeStamp =
  /^(?:\w+: +\w+: \[\d{4}-\d\d-\d\dT[^\]]*\]: |([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ +|([\w-]+ )?(?:time="|\[)?\d{4}([-/])\d\d\3\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?["\]]?:? )/;

/** A line of a log without its time stamp. */
export function stripTime(line: string): string {
  return line.replace(
    timeStamp,
    (_, level, name = "") => level === undefined ? name : `${level} `,
  );
}

/** Hides the time stamps of a log. */
export function hideTimes(content: PageContent): PageContent {
  if (content.kind !== "log") return content;
  return {
    ...content,
    rows: content.rows.map((row) => ({
      ...row,
      line: typeof row.line === "string"
        ? stripTime(row.line)
        : row.line.map((span) => ({ ...span, text: stripTime(span.text) })),
    })),
  };
}
