import assert from "node:assert/strict";
import type { ApprovalRequest } from "../../../../workflows/runbooks/engine/surroundings.ts";
import { openBench } from "../_bench.ts";

Deno.test("an approval hands over what is to be typed, as it is computed", async () => {
  await using bench = await openBench();
  const requests: ApprovalRequest[] = [];
  const ran = await bench.run(
    `
steps:
  - id: go
    approve:
      tag: wipe
      destructive: true
      typed: "\${{ cluster.name }}"
      message: "Lose \${{ string(size(groups.all)) }} nodes?"
groups: { all: {} }
`,
    {},
    {
      answers: (request) => {
        requests.push(request);
        return Promise.resolve({ approved: true, by: "ann", how: "flag" });
      },
    },
  );
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(requests, [{
    tag: "wipe",
    path: "go",
    message: "Lose 3 nodes?",
    destructive: true,
    typed: "demo",
  }]);
  const question = ran.records.find(({ t }) => t === "approve.asked");
  assert.deepEqual(question?.d, {
    tag: "wipe",
    message: "Lose 3 nodes?",
    destructive: true,
    lastsMs: 3_600_000,
    typed: "demo",
  });
});

Deno.test("an approval whose condition does not hold is not asked for", async () => {
  await using bench = await openBench();
  const ran = await bench.run(`
groups: { none: { names: [] } }
steps: [{ id: go, when: size(groups.none) > 0, approve: { tag: start, message: Begin? } }]
`);
  assert.equal(ran.verdict, "succeeded 0");
});
