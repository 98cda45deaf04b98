import assert from "node:assert/strict";
import {
  deleteMeta,
  publishMeta,
  setMeta,
} from "../../../simulator/node/meta.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { createResources } from "../../../simulator/resources/resources.ts";
import { bootedNode, stopped } from "../_node.ts";

function shown({ boot: { resources } }: SimulatedNode) {
  const type = "MetaKeys.runtime.talos.dev";
  return resources.list({ namespace: "runtime", type })
    .map(({ id, spec }) => [id, spec]);
}

const encoder = new TextEncoder();

Deno.test("values are resources under their keys in hexadecimal", async () => {
  const node = await bootedNode();
  assert.equal(setMeta(node, 10, encoder.encode("a: b")), true);
  assert.equal(setMeta(node, 255, encoder.encode("x")), true);
  assert.deepEqual(shown(node), [
    ["0x0a", { value: "a: b" }],
    ["0xff", { value: "x" }],
  ]);
  assert.equal(deleteMeta(node, 10), true);
  assert.equal(deleteMeta(node, 10), false);
  assert.deepEqual(shown(node), [["0xff", { value: "x" }]]);
  node.boot = { ...node.boot, resources: createResources(stopped) };
  publishMeta(node);
  assert.deepEqual(shown(node), [["0xff", { value: "x" }]]);
});

Deno.test("there is room for 256 KiB less what the format needs", async () => {
  const node = await bootedNode();
  const room = 256 * 1024 - 40;
  assert.equal(setMeta(node, 10, new Uint8Array(room - 7)), false);
  assert.equal(node.disk.meta.size, 0);
  assert.equal(setMeta(node, 10, new Uint8Array(room - 8)), true);
  assert.equal(setMeta(node, 11, new Uint8Array()), false);
  // A value takes the place of the one under its key.
  assert.equal(setMeta(node, 10, new Uint8Array(room - 16)), true);
  assert.equal(setMeta(node, 11, new Uint8Array()), true);
});
