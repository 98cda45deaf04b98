import assert from "node:assert/strict";
import { rehearsalPicture } from "../../../workflows/rehearsal/rehearsal_picture.ts";
import type { RehearsedRun } from "../../../workflows/rehearsal/rehearsal_report.ts";
import { measure, misplaced, renderDom } from "../../_browser.ts";
import { needs } from "../../_needs.ts";
import { clean, killed, rehearsal } from "./_rehearsals.ts";

function inBrowser(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ...needs("chromium"), fn });
}

const html = rehearsalPicture(rehearsal);

Deno.test("rehearsalPicture needs nothing but itself, and no scripts", () => {
  assert.doesNotMatch(html, /<script|src=|href=|url\(|@import/);
});

Deno.test("rehearsalPicture says that all is well", () => {
  const { again: _, ...run } = clean;
  const good = rehearsalPicture({ ...rehearsal, runs: [run] });
  assert.match(good, /1 run\. <strong class="good">All as expected/);
  assert.doesNotMatch(good, /Make it again|Injected/);
});

Deno.test("rehearsalPicture keeps to twelve timelines and two hundred rows, the bad ones first", () => {
  const many: RehearsedRun[] = Array.from(
    { length: 300 },
    (_, i) => ({ ...clean, name: `good-${i}` }),
  );
  const page = rehearsalPicture({ ...rehearsal, runs: [...many, killed] });
  assert.equal(page.match(/class="timeline"/g)?.length, 12);
  assert.match(page, /<h2>Run kill @ record 57<\/h2>/);
  assert.equal(page.match(/<td>good-\d+<\/td>/g)?.length, 199);
  assert.match(page, /and 101 more/);
});

inBrowser(
  "rehearsalPicture is a document as the browser reads it",
  async () => {
    const dom = await renderDom(html);
    assert.match(
      dom,
      /<title>rolling-upgrade rehearsed on sim:1cp\+4w,v1\.13\.4</,
    );
    assert.match(
      dom,
      /w-3: slots A and B hold &lt;v1\.14\.1&gt; that never booted/,
    );
  },
);

inBrowser("rehearsalPicture says which invariant held", async () => {
  const found = await measure(
    html,
    `[...document.querySelectorAll("#invariants tr")].slice(1).map((row) =>
      row.cells[0].textContent + " " + row.cells[1].textContent)`,
  );
  assert.deepEqual(found, [
    "I1 held",
    "I2 held",
    "I3 held",
    "I4 violated in 1",
    "I5 held",
    "I6 held",
    "I7 not checked",
    "I8 not checked",
    "I9 held",
    "I10 held",
    "I11 held",
    "I12 held",
  ]);
});

inBrowser(
  "rehearsalPicture has a row for each node, and each fault in the row of its node",
  async () => {
    const found = await measure(
      html,
      `(() => {
      const names = [...document.querySelectorAll("#timeline-1 strong")];
      const top = (one) => one.getBoundingClientRect().top;
      const toRow = (one) => names.findLast((name) => top(name) <= top(one)).textContent;
      const numbers = [...document.querySelectorAll("#timeline-1 .number")];
      return [names.map((one) => one.textContent), numbers.map((one) => one.textContent + " " + toRow(one))];
    })()`,
    );
    assert.deepEqual(found, [
      ["cluster", "cp-1", "w-1", "w-2", "w-3"],
      ["1 cluster", "2 w-3"],
    ]);
  },
);

inBrowser(
  "rehearsalPicture draws no text over another one, or outside, and fits narrow windows",
  async () => {
    const found = `[${misplaced}, document.documentElement.scrollWidth]`;
    assert.deepEqual(await measure(html, found, { width: 600 }), [[], 600]);
  },
);
