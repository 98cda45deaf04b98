import assert from "node:assert/strict";
import { run } from "../_run.ts";

const meminfo = {
  memtotal: 2_097_152n,
  memfree: 1_048_576n,
  memavailable: 1_572_864n,
  buffers: 10_240n,
  cached: 204_800n,
  shmem: 1_024n,
  hugepagestotal: 3n,
};

function answer() {
  return { messages: [{ meminfo }] };
}

Deno.test("memory -o jsonl carries bytes", async () => {
  const { out } = await run("memory -o jsonl", { a: { memory: answer } });
  const { details, ...row } = JSON.parse(out);
  assert.deepEqual(row, {
    node: "a",
    total: 2_147_483_648,
    used: 853_540_864,
    free: 1_073_741_824,
    shared: 1_048_576,
    buffers: 10_485_760,
    cache: 209_715_200,
    available: 1_610_612_736,
  });
  assert.equal(details.HugePagesTotal, 3);
  assert.equal(details.MemTotal, 2_147_483_648);
});

Deno.test("memory has sizes with units, sorted by bytes", async () => {
  const nodes = {
    a: { memory: answer },
    b: {
      memory: () => ({
        messages: [{ meminfo: { ...meminfo, memavailable: 900_000n } }],
      }),
    },
  };
  const { out } = await run("memory --sort-by available", nodes);
  assert.equal(
    out,
    `NODE   TOTAL    USED     FREE     SHARED   BUFFERS   CACHE    AVAILABLE
b      2.1 GB   854 MB   1.1 GB   1.0 MB   10 MB     210 MB   922 MB
a      2.1 GB   854 MB   1.1 GB   1.0 MB   10 MB     210 MB   1.6 GB
`,
  );
  const narrow = await run("memory", nodes, { columns: 40 });
  assert.match(narrow.out, /^NODE +TOTAL +USED +AVAILABLE\n/);
});

Deno.test("memory --verbose lists the kernel's fields", async () => {
  const { out } = await run("free -v", { a: { memory: answer } });
  const lines = out.split("\n");
  assert.deepEqual(lines.slice(0, 3), [
    "NODE: a",
    "MemTotal: 2097152 kB",
    "MemFree: 1048576 kB",
  ]);
  assert.equal(lines[41], "HugePagesTotal: 3");
  assert.equal(lines.length, 50);
});

Deno.test("no line of what a node fails with passes for a line of ours", async () => {
  const failing = async (error: string) =>
    (await run("memory", {
      a: { memory: () => ({ messages: [{ metadata: { error } }] }) },
    })).err;
  assert.equal(
    await failing("no\nrun osctl reset\n\u202eerror of b"),
    "error: a: no\n  run osctl reset\n  error of b\n",
  );
  // Keys with values may be quoted from a configuration.
  assert.equal(
    await failing("no\nhint: run osctl reset\n\u202eerror: b: gone"),
    "error: a: no\n  hint: (redacted, 15 characters)\n  (redacted, 15 characters)\n",
  );
});
