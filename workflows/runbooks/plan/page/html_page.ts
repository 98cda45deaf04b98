/** Self-contained HTML pages: no scripts, no other files; light and dark. */

interface PageOptions {
  readonly title: string;
  readonly body: string;
  /** Additional styles. */
  readonly style?: string;
}

/** Makes a page. `page`: title, body and styles; the caller escapes text in the body. */
export function htmlPage({ title, body, style = "" }: PageOptions): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title>
<style>
${shared}${style}</style>
</head>
<body>
${body}</body>
</html>
`;
}

/** Class of a text, by meaning. */
export type Ink = "text" | "quiet" | "good" | "bad" | "warn" | "change";

/** Text of a cell. */
type Cell = string | readonly [ink: Ink, text: string];

/** Makes a table under a heading, whose id it has; empty without rows. Escapes all texts. */
export function htmlTable(
  heading: string,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
): string {
  if (rows.length === 0) return "";
  const id = heading.toLowerCase().replaceAll(" ", "-");
  const titles = columns.map((name) => `<th>${escapeHtml(name)}</th>`);
  const cells = rows.map((row) =>
    row.map((cell) =>
      typeof cell === "string"
        ? `<td>${escapeHtml(cell)}</td>`
        : `<td class="${cell[0]}">${escapeHtml(cell[1])}</td>`
    )
  );
  const lines = [titles, ...cells].filter(({ length }) => length > 0)
    .map((line) => `<tr>${line.join("")}</tr>\n`);
  return `<h2>${escapeHtml(heading)}</h2>
<div class="wide"><table id="${id}">
${lines.join("")}</table></div>
`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Escapes text for HTML, in elements and attributes.
 *
 * @param text Any text; control characters become spaces.
 */
export function escapeHtml(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\x00-\x1f\x7f-\x9f]+/g, " ")
    .replace(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** Colors by meaning, and styles of plain elements. */
const shared = `:root {
  color-scheme: light dark;
  --ground: #ffffff; --card: #f6f7f9; --line: #c9ced6; --text: #1b1f24; --quiet: #5b6470;
  --good: #1a7f37; --bad: #c4232f; --warn: #9a6000; --change: #0a58ca; --soft-bad: #fdeaea; --soft-warn: #fff4dc;
  --soft-good: #e6f5ea; --soft-change: #e5effd;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171b; --card: #1d2127; --line: #444c56; --text: #e6e9ee; --quiet: #9aa4b0;
    --good: #56c271; --bad: #ff7b7b; --warn: #e3b341; --change: #79b0ff; --soft-bad: #3a1d20; --soft-warn: #352b14;
    --soft-good: #16301e; --soft-change: #17294a;
  }
}
body {
  margin: 0 auto; padding: 24px 16px; max-width: 1040px;
  background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif;
}
h1 { font-size: 22px; margin: 0 0 4px; }
h2 { font-size: 17px; margin: 28px 0 8px; }
p { margin: 4px 0; }
.quiet { color: var(--quiet); }
.good { color: var(--good); }
.bad { color: var(--bad); }
.warn { color: var(--warn); }
.change { color: var(--change); }
code, td, th { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 13px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 3px 12px 3px 0; border-bottom: 1px solid var(--line); }
ul { margin: 4px 0; padding-left: 20px; }
`;
