import assert from "node:assert/strict";
import {
  escapeHtml,
  htmlPage,
  htmlTable,
} from "../../../../../workflows/runbooks/plan/page/html_page.ts";

Deno.test("htmlPage has title, styles and body, and forbids everything else", () => {
  const html = htmlPage({ title: "a < b", body: "<p>x</p>", style: "b { }" });
  assert.match(html, /^<!doctype html>\n<html lang="en">/);
  assert.match(html, /<title>a &lt; b<\/title>/);
  assert.match(html, /b \{ \}<\/style>/);
  assert.match(html, /<body>\n<p>x<\/p><\/body>/);
  assert.match(html, /content="default-src 'none'; style-src 'unsafe-inline'"/);
  assert.match(htmlPage({ title: "", body: "" }), /\n<\/style>/);
});

Deno.test("escapeHtml makes text fit for elements and attributes", () => {
  assert.equal(
    escapeHtml(`<a href="x">&'\n\x1b[31m`),
    "&lt;a href=&quot;x&quot;&gt;&amp;&#39; [31m",
  );
});

Deno.test("htmlTable has its heading as id, and nothing without rows", () => {
  assert.equal(
    htmlTable("Two words", ["A"], [["<"], [["bad", "x"]]]),
    `<h2>Two words</h2>
<div class="wide"><table id="two-words">
<tr><th>A</th></tr>
<tr><td>&lt;</td></tr>
<tr><td class="bad">x</td></tr>
</table></div>
`,
  );
  assert.doesNotMatch(htmlTable("A", [], [["x"]]), /<th>|<tr><\/tr>/);
  assert.equal(htmlTable("A", ["B"], []), "");
});
