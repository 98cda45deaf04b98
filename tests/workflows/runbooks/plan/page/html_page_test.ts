import assert from "node:assert/strict";
import { htmlPage } from "../../../../../workflows/runbooks/plan/page/html_page.ts";

Deno.test("htmlPage has title, styles and body, and forbids everything else", () => {
  const html = htmlPage({ title: "a < b", body: "<p>x</p>", style: "b { }" });
  assert.match(html, /^<!doctype html>\n<html lang="en">/);
  assert.match(html, /<title>a &lt; b<\/title>/);
  assert.match(html, /b \{ \}<\/style>/);
  assert.match(html, /<body>\n<p>x<\/p><\/body>/);
  assert.match(html, /content="default-src 'none'; style-src 'unsafe-inline'"/);
  assert.match(htmlPage({ title: "", body: "" }), /\n<\/style>/);
});
