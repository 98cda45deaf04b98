import assert from "node:assert/strict";
import {
  box,
  charactersIn,
  empty,
  line,
  measureWidth,
  paragraph,
  stack,
  translate,
} from "../../../../../workflows/runbooks/plan/picture/shapes.ts";

/** Texts of a drawing, in order. */
function textsOf(svg: string): readonly string[] {
  return [...svg.matchAll(/>([^<>]+)<\/text>/g)].map(([, text = ""]) => text);
}

Deno.test("line cuts what does not fit, and tells it when pointed at", () => {
  const { height, svg } = line("one two\nthree", 60, "bad", 10.04);
  assert.equal(height, 20);
  assert.equal(
    svg,
    `<text class="bad" x="10" y="14"><title>one two three</title>one t…</text>`,
  );
  assert.deepEqual(line(" ", 60, "bad"), { height: 20, svg: "" });
});

Deno.test("paragraph breaks between words, and cuts words that are too long", () => {
  const { height, svg } = paragraph("a bc\nd abcdefghijkl", 60, "text");
  assert.equal(height, 40);
  assert.deepEqual(textsOf(svg), ["a bc d", "abcdefg…"]);
  assert.equal(paragraph("", 60, "text").height, 0);
});

Deno.test("stacked puts parts below each other, and is zero out for nothing", () => {
  const part = { height: 10, svg: "<x/>" };
  const { height, svg } = stack([part, empty, part], 5);
  assert.equal(height, 25);
  assert.equal(svg, translate(part, 0, 0) + translate(part, 0, 15));
  assert.deepEqual(stack([]), { height: 0, svg: "" });
});

Deno.test("boxed draws a box around a part", () => {
  const part = { height: 10, svg: "<x/>" };
  assert.deepEqual(box(part, 100, { look: "card" }), {
    height: 30,
    svg: `<rect class="card" x="0.5" y="0.5" width="99" height="29" rx="6"/>` +
      `<g transform="translate(10 10)"><x/></g>\n`,
  });
});

Deno.test("a text is as wide as its characters, whose font has one width", () => {
  assert.equal(measureWidth("😀ab"), 21.75);
  assert.equal(charactersIn(21.75), 3);
  assert.equal(charactersIn(0), 1);
});
