import assert from "node:assert/strict";
import { conform } from "../../../config/documents/conform.ts";
import type { Shape } from "../../../config/documents/schema.ts";
import { string } from "../../../config/documents/scalars/scalars.ts";
import {
  certificateAndKey,
  certificateOnly,
  free,
  keyOnly,
  list,
  map,
  struct,
} from "../../../config/documents/shapes.ts";
import { readDocuments } from "../../../config/tree/read.ts";
import { writeTree } from "../../../config/tree/write.ts";

/** Writes a value of key `v`, problems in its place when there are some. */
function written(shape: Shape, text: string): string {
  const [document] = readDocuments(`v: ${text}\n`, "f").documents;
  assert.ok(document !== undefined);
  const { node, problems } = conform(document.root, {
    v: { shape, summary: "Value", always: true },
  });
  const messages = problems.map(({ path, message }) => `${path}: ${message}`);
  return messages.length > 0 ? messages.join("\n") : writeTree(node);
}

Deno.test("lists, mappings and structs hold values of their shapes", () => {
  assert.equal(written(list(string), "[1, b]"), 'v:\n    - "1"\n    - b\n');
  assert.equal(written(map(string), "{b: 1}"), 'v:\n    b: "1"\n');
  const pair = struct({ a: { shape: string, summary: "A" } });
  assert.equal(written(pair, "{a: b}"), "v:\n    a: b\n");
  assert.equal(written(pair, "{b: c}"), 'v.b: Unknown key "b"');
  assert.equal(written(free, "{b: 1, a: x}"), "v:\n    a: x\n    b: 1\n");
});

Deno.test("a certificate and its key are both written, one line each", () => {
  assert.equal(
    written(certificateAndKey, '{key: QQ==, crt: "Qk\\nI="}'),
    "v:\n    crt: QkI=\n    key: QQ==\n",
  );
  assert.equal(
    written(certificateAndKey, "{crt: QkI=}"),
    'v:\n    crt: QkI=\n    key: ""\n',
  );
  assert.equal(written(certificateOnly, "{crt: QkI=}"), "v:\n    crt: QkI=\n");
  assert.equal(written(keyOnly, "{key: QkI=}"), "v:\n    key: QkI=\n");
});

Deno.test("a key may have been taken out, a certificate not", () => {
  const redacted = "{crt: QkI=, key: '******'}";
  assert.equal(
    written(certificateAndKey, redacted),
    "v:\n    crt: QkI=\n    key: '******'\n",
  );
  assert.equal(written(keyOnly, "{key: '******'}"), "v:\n    key: '******'\n");
  assert.equal(
    written(certificateOnly, "{crt: '******'}"),
    "v.crt: This is not a base64 text",
  );
});

Deno.test("keys are secret and replaced together with their certificates", () => {
  assert.equal(certificateAndKey.fields.key?.secret, true);
  assert.equal(keyOnly.fields.key?.secret, true);
  assert.equal(certificateAndKey.fields.crt?.secret, undefined);
  assert.equal(certificateAndKey.whole, true);
});
