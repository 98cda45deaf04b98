import assert from "node:assert/strict";
import { drawSvg, parseSpans, pictures } from "../../../tools/docs/pictures.ts";
import { toneCodes } from "../../../terminal/tone.ts";

const docs = new URL("../../../docs/", import.meta.url);

Deno.test("looks of a terminal continue in the next line until they end", () => {
  assert.deepEqual(parseSpans("a \x1b[1;32mb\nc\x1b[39md \x1b[0m e\x1b[49m"), [
    [
      { column: 0, text: "a", looks: [] },
      { column: 2, text: "b", looks: ["bold", "green"] },
    ],
    [
      { column: 0, text: "c", looks: ["bold", "green"] },
      { column: 1, text: "d", looks: ["bold"] },
      { column: 3, text: " e", looks: [] },
    ],
  ]);
});

Deno.test("a color that is fixed has no theme: it is invisible on a ground of that color", () => {
  for (const code of ["37", "97", "30", "48;5;16"]) {
    assert.throws(() => parseSpans(`\x1b[${code}mx`), RangeError);
  }
  for (const code of Object.values(toneCodes)) parseSpans(`\x1b[${code}mx`);
});

Deno.test("a picture has each text at its column, and no markup of its own", () => {
  const svg = drawSvg("<a>  \x1b[31mb&\x1b[0m");
  assert.match(svg, /<tspan x="0\.0" textLength="25\.2">&lt;a><\/tspan>/);
  assert.match(svg, /x="42\.0" textLength="16\.8" class="red">b&amp;<\/tspan>/);
  // Otherwise programs that draw SVG collapse spaces, and texts move.
  assert.match(svg, /^<svg [^>]*xml:space="preserve"/);
});

Deno.test("the page shows every picture, and they are small", async () => {
  const page = await Deno.readTextFile(new URL("pictures.md", docs));
  const shown = [...page.matchAll(/\(pictures\/(.*?)\.svg\)/g)];
  assert.deepEqual(
    shown.map(([, name]) => name).toSorted(),
    pictures.map(({ name }) => name).toSorted(),
  );
  for (const [, name] of shown) {
    const { size } = await Deno.stat(new URL(`pictures/${name}.svg`, docs));
    assert.ok(size < 20_000, `${name} has ${size} bytes`);
  }
});
