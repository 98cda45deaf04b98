import assert from "node:assert/strict";
import { countMarks, readManifest } from "../../../config/inject/manifest.ts";
import { mapOf } from "../../../config/inject/value.ts";

function faultOf(text: string) {
  const read = readManifest(text);
  return "fault" in read ? read : undefined;
}

Deno.test("readManifest reads a value and keeps the places", () => {
  const read = readManifest("---\na: [1]\n");
  if ("fault" in read) throw new Error(read.fault);
  assert.deepEqual(read.value, mapOf({ a: [1] }));
  assert.equal(read.document.contents?.srcToken?.type, "block-map");
});

Deno.test("readManifest takes words of older YAML and tags for what Kubernetes takes them", () => {
  const read = readManifest("%YAML 1.1\n---\na: yes\n");
  if ("fault" in read) throw new Error(read.fault);
  assert.deepEqual(read.value, mapOf({ a: "yes" }));
  const tagged = readManifest("a: !!binary aGk=\n");
  if ("fault" in tagged) throw new Error(tagged.fault);
  assert.deepEqual(tagged.value, mapOf({ a: "aGk=" }));
});

Deno.test("readManifest names what is wrong and where", () => {
  assert.deepEqual(faultOf("a: b\n\tc: d\n"), {
    fault: "not YAML: Tabs are not allowed as indentation",
    offset: 5,
    hint: "Indent with spaces",
  });
  assert.deepEqual(faultOf("a: b\0\n"), {
    fault: "it holds a control character",
    offset: 4,
  });
  assert.deepEqual(faultOf("a: 'b\n"), {
    fault: "not YAML: Missing closing 'quote",
    offset: 6,
  });
  assert.deepEqual(faultOf("a: 1\na: 2\n"), {
    fault: '"a" occurs twice in one mapping',
    offset: 5,
    hint: "Keep one of them",
  });
  assert.equal(faultOf("[".repeat(20_000))?.fault, "it is nested too deeply");
  assert.equal(
    faultOf(`${"k: ".repeat(20_000)}k\n---`)?.fault,
    "it is nested too deeply",
  );
  assert.equal(faultOf("a: *b\n")?.fault, '"*b" stands for nothing');
});

Deno.test("countMarks counts what YAML has a use for", () => {
  assert.equal(countMarks('a: [1, "b"]\n# c\n'), 9);
});
