import assert from "node:assert/strict";

import { counting } from "../../_node_counts.ts";
import { run } from "../../_run.ts";
import { withWire } from "../../_wire.ts";

Deno.test("--max-unavailable takes numbers and shares, and requires --wait", async () => {
  for (const wrong of ["0", "-1", "0%", "101%", "2.5", "all", ""]) {
    const { status, err } = await run([
      "reboot",
      `--max-unavailable=${wrong}`,
    ]);
    assert.equal(status, 2, wrong);
    assert.match(
      err,
      /must be a number of nodes or a percentage such as "25%"/,
    );
  }
  const { status, err } = await run(
    "reboot --max-unavailable 1 --wait=false --nodes a",
    { a: {} },
  );
  assert.equal(status, 2);
  assert.match(err, /--max-unavailable needs --wait/);
});

Deno.test("a change that is not waited for disrupts one node, unless all may be unavailable", async () => {
  const boots = async (flags: string, env: Record<string, string> = {}) => {
    let ended = { status: 0, err: "", calls: 0 };
    await withWire({ workers: 2 }, async ({ cluster, osctl }) => {
      const counts = await Promise.all(
        cluster.nodes.slice(1).map((node) => counting(node, "Reboot")),
      );
      const line = `reboot --nodes @workers --wait=false ${flags}`;
      const { status, err } = await osctl(line, { env });
      const calls = counts.reduce((sum, count) => sum + count().calls, 0);
      ended = { status, err, calls };
    });
    return ended;
  };
  const refused = await boots("");
  assert.match(
    refused.err,
    /^error: With --wait=false all 2 nodes would be unavailable at once\nhint: Omit --wait=false, or add: --max-unavailable 100%\n$/m,
  );
  assert.deepEqual([refused.status, refused.calls], [5, 0]);
  const meant = await boots("--max-unavailable 100%");
  assert.deepEqual([meant.status, meant.calls], [0, 2], meant.err);
  const peer = await boots("", { OSCTL_COMPAT: "peer" });
  assert.deepEqual([peer.status, peer.calls], [0, 2], peer.err);
});
