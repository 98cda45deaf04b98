import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { run } from "../_run.ts";

const stats = [
  {
    filesystem: "/dev/sda6",
    size: 8_589_934_592n,
    available: 6_442_450_944n,
    mountedOn: "/var",
  },
  { filesystem: "proc", size: 0n, available: 0n, mountedOn: "/proc" },
  { filesystem: "overlay", size: 1_000n, available: 0n, mountedOn: "/" },
];

const node = { mounts: () => ({ messages: [{ stats }] }) };

Deno.test("mounts shows gigabytes and omits what has no size", async () => {
  const { out, err, status } = await run("mounts", { "10.0.0.2": node });
  assert.equal(
    out,
    `NODE       FILESYSTEM   SIZE(GB)   USED(GB)   AVAILABLE(GB)   PERCENT USED   MOUNTED ON
10.0.0.2   /dev/sda6    8.59       2.15       6.44            25.00%         /var
10.0.0.2   overlay      0.00       0.00       0.00            100.00%        /
`,
  );
  assert.deepEqual({ err, status }, { err: "", status: 0 });
});

Deno.test("mounts -o jsonl carries bytes", async () => {
  const { out } = await run("mount -o jsonl", { a: node });
  assert.deepEqual(JSON.parse(out.split("\n")[0] ?? ""), {
    node: "a",
    filesystem: "/dev/sda6",
    size: 8_589_934_592,
    used: 2_147_483_648,
    available: 6_442_450_944,
    mountedOn: "/var",
  });
});

Deno.test("mounts still shows the healthy nodes when one fails", async () => {
  const { out, err, status } = await run("mounts -o jsonpath=.node", {
    a: node,
    b: { mounts: () => Promise.reject(new RpcError("UNAVAILABLE", "gone")) },
    c: node,
  });
  assert.equal(out, "a\na\nc\nc\n");
  assert.equal(err, "error: b: gone\n");
  assert.equal(status, 3);
});

Deno.test("mounts refuses an unknown flag", async () => {
  const { err, status } = await run("mounts --all");
  assert.match(err, /^error: Unknown flag --all\n/);
  assert.equal(status, 2);
});
