import assert from "node:assert/strict";
import { type RpcCode, RpcError } from "../../../errors.ts";
import { readDataDir } from "../../../workflows/etcd/data_dir.ts";
import { type FakeNode, fakeNodes } from "../../_fake.ts";

const client = (handlers: FakeNode) => fakeNodes({ a: handlers }).nodes.at("a");

/** Answers with the names of a folder, or refuses. */
function folders(all: Readonly<Record<string, readonly string[] | RpcCode>>) {
  return {
    async *list({ root }: { readonly root: string }) {
      const names = await Promise.resolve(all[root]);
      if (typeof names === "string") throw new RpcError(names, "no");
      for (const relativeName of names ?? []) yield { relativeName };
    },
  };
}

Deno.test("readDataDir tells empty folders from those with data, and from those it may not see", async () => {
  const etcd = "/var/lib/etcd";
  const cases = [
    ["empty", { [etcd]: [".", etcd] }],
    ["data", { [etcd]: [".", "member"] }],
    ["empty", { [etcd]: "UNKNOWN", "/var/lib": [".", "kubelet"] }],
    ["unknown", { [etcd]: "UNKNOWN", "/var/lib": [".", "etcd"] }],
    ["unknown", {
      [etcd]: "PERMISSION_DENIED",
      "/var/lib": "PERMISSION_DENIED",
    }],
  ] as const;
  for (const [expected, all] of cases) {
    const found = await readDataDir(await client(folders(all)));
    assert.equal(found, expected, JSON.stringify(all));
  }
  const unreadable = {
    async *list() {
      yield await Promise.resolve({ name: "x", error: "input/output error" });
    },
  };
  assert.equal(await readDataDir(await client(unreadable)), "unknown");
  await assert.rejects(
    async () =>
      await readDataDir(await client(folders({ [etcd]: "UNAVAILABLE" }))),
    { code: "UNAVAILABLE" },
  );
});
