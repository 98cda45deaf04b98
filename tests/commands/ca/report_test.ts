import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { withWire } from "../../_wire.ts";

Deno.test("ca report shows both CAs of each node", async () => {
  await withWire({ workers: 1 }, async ({ osctl, cluster }) => {
    const { out, status } = await osctl("ca report --nodes 10.5.0.3 -o jsonl");
    assert.equal(status, 0);
    const rows = out.trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(rows.map(({ issuing: _, ...row }) => row), [
      { node: "10.5.0.3", kind: "os", accepted: [], state: null, error: null },
      {
        node: "10.5.0.3",
        kind: "kubernetes",
        accepted: [],
        state: null,
        error: null,
      },
    ]);
    await withFolder({}, async (folder) => {
      await osctl(`config new ${folder}/reader --roles os:reader -n 10.5.0.2`);
      const refused = await osctl(`ca report --osconfig ${folder}/reader`);
      assert.equal(refused.status, 1);
      assert.match(
        refused.err,
        /10\.5\.0\.2: not authorized: it needs the role os:admin.*\nhint: The certificate of context "reader@simulated" has os:reader/,
      );
    });
    for (const { issuing } of rows) assert.match(issuing, /^[0-9a-f]{64}$/);
    await cluster.setFault("10.5.0.3", "unavailable");
    const all = await osctl("ca report");
    assert.equal(all.status, 3);
    assert.match(
      all.err,
      /^error: partial: 1 of 2 nodes did not answer: 10\.5\.0\.3: cannot connect /m,
    );
    const lines = all.out.trimEnd().split("\n");
    assert.equal(lines.length, 5);
    assert.match(lines[0]!, /^NODE +CA +ISSUING +ACCEPTED +ERROR$/);
    assert.match(lines[1]!, /^10\.5\.0\.2 +os +[0-9a-f]{12}/);
    assert.match(lines[3]!, /^10\.5\.0\.3 +os +\S/);
  });
});
