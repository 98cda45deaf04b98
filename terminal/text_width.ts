/** Widths of texts as a terminal shows them: wide characters and emoji take two columns, combining marks none. */

/** Characters of one column that do not combine, for which counting code units is correct and far cheaper. */
const narrow =
  // deno-lint-ignore no-control-regex
  /^[\x00-\x7f\xa1-\xac\xae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u25fc\u2713\u2717\u2800-\u28ff]*$/;

/** What other texts need, made for the first of them: it takes 15 ms, as long as an empty program. */
function makeUnicodeTools() {
  return {
    segmenter: new Intl.Segmenter("en"),
    emoji: /^\p{RGI_Emoji}$/v,
    invisible:
      /^[\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Mn}\p{Me}]*$/v,
  };
}

let made: ReturnType<typeof makeUnicodeTools> | undefined;

function unicode(): ReturnType<typeof makeUnicodeTools> {
  return made ??= makeUnicodeTools();
}

/** First and last of the wide and fullwidth characters (Unicode Standard Annex 11), with unassigned ones between. */
const wide: readonly (readonly [first: number, last: number])[] = [
  ...[[0x1100, 0x115e], [0x2329, 0x232a], [0x2630, 0x2637]] as const,
  ...[[0x268a, 0x268f], [0x2e80, 0x303e], [0x3041, 0x3163]] as const,
  ...[[0x3165, 0x3247], [0x3250, 0xa4c6], [0xa960, 0xa97c]] as const,
  ...[[0xac00, 0xd7a3], [0xf900, 0xfaff], [0xfe10, 0xfe6b]] as const,
  ...[[0xff01, 0xff60], [0xffe0, 0xffe6], [0x16fe0, 0x191d2]] as const,
  ...[[0x1aff0, 0x1b2fb], [0x1d300, 0x1d376], [0x1f1ae, 0x1f1ae]] as const,
  ...[[0x1f200, 0x1f265], [0x1f6d8, 0x1f6d9], [0x1f7da, 0x1f7da]] as const,
  ...[[0x1fa8a, 0x1fafa], [0x20000, 0x3fffd]] as const,
];

function isWide(segment: string): boolean {
  const code = segment.codePointAt(0) ?? 0;
  return unicode().emoji.test(segment) ||
    wide.some(([first, last]) => first <= code && code <= last);
}

/** Columns that a text takes; it has no control characters. */
export function textWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  const { segmenter, invisible } = unicode();
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
    if (!invisible.test(segment)) width += isWide(segment) ? 2 : 1;
    // They belong to the character before them, and take a column.
    width += segment.slice(1).match(/[\uff9e\uff9f]/g)?.length ?? 0;
  }
  return width;
}

/** The start of a text that fits into a number of columns, in whole characters. */
export function takeColumns(text: string, columns: number): string {
  if (narrow.test(text)) return text.slice(0, Math.max(0, columns));
  let room = columns;
  let taken = "";
  for (const { segment } of unicode().segmenter.segment(text)) {
    room -= textWidth(segment);
    if (room < 0) break;
    taken += segment;
  }
  return taken;
}

/** The end of a text that fits into a number of columns, in whole characters. */
export function takeLastColumns(text: string, columns: number): string {
  const segments = Array.from(
    unicode().segmenter.segment(text),
    ({ segment }) => segment,
  );
  let room = columns;
  let at = segments.length;
  while (at > 0) {
    room -= textWidth(segments[at - 1] ?? "");
    if (room < 0) break;
    at--;
  }
  return segments.slice(at).join("");
}

/** A text with spaces behind it up to a number of columns. */
export function padColumns(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - textWidth(text)));
}
