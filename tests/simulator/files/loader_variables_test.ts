import assert from "node:assert/strict";
import { firstEntry } from "../../../simulator/boot_entries.ts";
import type { RegularFile } from "../../../simulator/files/entry.ts";
import { loaderVariables } from "../../../simulator/files/loader_variables.ts";
import { bootedNode } from "../_node.ts";

Deno.test("the entry to start and the one that was started are variables", async () => {
  const node = await bootedNode();
  node.boot = { ...firstEntry({ tag: "v1.2.3" }), chosen: "x" };
  const contents = Object.entries(loaderVariables.entries).map(
    ([name, file]) => {
      const { read, size } = file as RegularFile;
      const [bytes] = [...read!(node)];
      assert.equal(size(node), bytes!.length);
      return [name, bytes!.toHex()];
    },
  );
  assert.deepEqual(contents, [
    [
      "LoaderEntryDefault-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f",
      "0700000078000000",
    ],
    [
      "LoaderEntrySelected-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f",
      "0700000054006100" +
      "6c006f0073002d0076003100" +
      "2e0032002e0033002e006500660069000000",
    ],
  ]);
});

Deno.test("a node without a boot loader has empty ones", async () => {
  const node = await bootedNode();
  node.boot = undefined;
  for (const file of Object.values(loaderVariables.entries)) {
    assert.equal((file as RegularFile).size(node), 0);
  }
});
