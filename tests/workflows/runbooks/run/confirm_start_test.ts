import assert from "node:assert/strict";
import {
  quick,
  runbook,
  withRunHome,
} from "../../../commands/runbook/_home.ts";

const cordon = runbook(`  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: cordon, run: node.cordon }
`);

const look = runbook("  - { id: preflight, gate: etcd.quorum, within: 1m }\n");

const question = /Run "quick" in cluster "simulated"\? \(y\/N\): /;

Deno.test("a runbook that changes nodes without an approval is requested on a terminal", () =>
  withRunHome(async ({ osctl, write, ids }) => {
    const file = await write(cordon);
    const line = ["runbook", "run", file];
    const terminal = { typed: true, columns: 80 };
    const no = await osctl(line, { ...terminal, stdin: "n\n" });
    assert.match(no.err, question);
    assert.match(no.err, /error: The run was not confirmed\nhint: Nothing was/);
    assert.deepEqual([no.status, await ids()], [5, []]);
    const yes = await osctl(line, { ...terminal, stdin: "y\n" });
    assert.equal(yes.status, 0, yes.err);
    assert.match(yes.err, question);
  }));

Deno.test("a run is not asked for that is approved, asks itself, changes nothing, or has no terminal", () =>
  withRunHome(async ({ osctl, write }) => {
    const terminal = { typed: true, columns: 80 };
    for (
      const [text, flags, options] of [
        [look, [], terminal],
        [quick, [], { ...terminal, stdin: "yes\n" }],
        [cordon, ["-y"], terminal],
        [cordon, [], {}],
      ] as const
    ) {
      const file = await write(text);
      const ran = await osctl(["runbook", "run", file, ...flags], options);
      assert.equal(ran.status, 0, ran.err);
      assert.doesNotMatch(ran.err, question);
    }
  }));
