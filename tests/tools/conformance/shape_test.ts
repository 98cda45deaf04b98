import assert from "node:assert/strict";
import {
  differences,
  type Shapes,
  toShape,
  toShapes,
} from "../../../tools/conformance/shape.ts";
import { recordNode } from "../../../tools/conformance/record.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../../simulator/_client.ts";

Deno.test("a shape tells keys that are always there, and kinds by units and notation", () => {
  assert.deepEqual(
    toShape([
      { size: 1, pretty: "1.0 GB", since: "5m0s", at: ["10.0.0.1"], a: null },
      { size: 2, pretty: "10 MB", since: "1.5s", at: [], extra: true, a: "x" },
    ]),
    {
      size: "number",
      pretty: "size",
      since: "duration",
      at: "list",
      "at[]?": "address",
      a: "text",
      "extra?": "boolean",
    },
  );
});

Deno.test("shapes: keys inside lists are also always or sometimes present", () => {
  const shape = toShape([
    { disks: [{ name: "a", size: 1 }, { name: "b" }] },
    { disks: [{ name: "c" }] },
  ]);
  assert.deepEqual(shape, {
    disks: "list",
    "disks[]": "map",
    "disks[].name": "text",
    "disks[].size?": "number",
  });
  const expected = { ...shape, "disks[].size": "number", "at[].x": "text" };
  assert.deepEqual(differences({ T: expected }, { T: shape }), [
    "T: disks[].size is not always there",
  ]);
});

Deno.test("differences are keys too many or too few, and values of another kind", () => {
  const expected: Shapes = {
    T: { a: "number", b: "size", "c?": "text", d: "any", "e": "map" },
  };
  assert.deepEqual(
    differences(expected, {
      T: { a: "text", c: "time", f: "text", "d.x": "text", "e.y": "text" },
      U: {},
    }),
    [
      "T: b is missing",
      "T: d is missing",
      "T: e is missing",
      "T: a is a text, and nodes send a number",
      "T: f is nothing that nodes send",
      "U: nodes have no such type",
    ],
  );
});

Deno.test("simulated nodes answer in the shapes of a v1.12.11 node", async () => {
  const path = new URL("shapes/v1.12.11.shapes", import.meta.url);
  const expected: Shapes = JSON.parse(await Deno.readTextFile(path));
  await withCluster({ workers: 1 }, async ({ endpoints, adminIdentity }) => {
    using client = testClient({
      endpoint: endpoints[0]!,
      identity: adminIdentity,
    });
    const found = toShapes(await recordNode(client));
    assert.ok(Object.keys(found).length > 50);
    assert.deepEqual(differences(expected, found), []);
  });
});
