import assert from "node:assert/strict";
import { readManifest } from "../../../config/inject/manifest.ts";
import { placeOf, unreadable } from "../../../config/inject/place.ts";

const section = {
  text: "---\n# c\nitems:\n- a: &a {b: 1}\n- *a\n",
  number: 3,
  line: 11,
};

Deno.test("placeOf counts lines of the file", () => {
  const manifest = readManifest(section.text);
  if ("fault" in manifest) throw new Error(manifest.fault);
  const place = (path: readonly (string | number)[]) =>
    placeOf({ path }, manifest, section);
  assert.equal(place([]), "line 13 (document 3)");
  assert.equal(place(["items", 0]), "line 14 (document 3)");
  assert.equal(place(["items", 1]), "line 15 (document 3)");
  assert.equal(place(["items", 1, "b"]), "line 13 (document 3)");
});

Deno.test("unreadable names file, line, column and document", () => {
  const error = unreadable("x.yaml", section, {
    fault: "it is odd",
    offset: 17,
    hint: "Make it even",
  });
  assert.equal(
    error.message,
    'Cannot read "x.yaml" at line 14, column 3: it is odd (document 3)',
  );
  assert.equal(error.hint, "Make it even");
  assert.equal(
    unreadable("x.yaml", section, { fault: "f", offset: undefined }).message,
    'Cannot read "x.yaml" at line 11, column 1: f (document 3)',
  );
});
