import assert from "node:assert/strict";
import { report, within } from "../../tools/bench.ts";

Deno.test("within compares a figure with its budget, both ways", () => {
  const figure = { name: "start", value: 50, unit: "ms" };
  assert.equal(within(figure), true);
  assert.equal(within({ ...figure, budget: 50 }), true);
  assert.equal(within({ ...figure, budget: 49 }), false);
  assert.equal(within({ ...figure, budget: 50, atLeast: true }), true);
  assert.equal(within({ ...figure, budget: 51, atLeast: true }), false);
});

Deno.test("report shows every figure beside its budget", () => {
  assert.equal(
    report([
      { file: "start", name: "help", value: 41.23456, unit: "ms", budget: 60 },
      { file: "start", name: "size", value: 7, unit: "MB" },
      {
        file: "copy",
        name: "read",
        value: 120,
        unit: "MB/s",
        budget: 150,
        atLeast: true,
      },
      {
        file: "peer",
        name: "version",
        value: 2 / 3,
        unit: "x",
        budget: 1 / 1.5,
        detail: "200 to 300 ms",
      },
      { file: "peer", name: "server", ignored: "Go is not installed" },
    ]),
    `FILE    MEASUREMENT   FIGURE                    BUDGET              RESULT
start   help          41.23 ms                  at most 60 ms       ok
start   size          7 MB
copy    read          120 MB/s                  at least 150 MB/s   OVER BUDGET
peer    version       0.6667 x, 200 to 300 ms   at most 0.6667 x    ok
peer    server                                                      ignored: Go is not installed
`,
  );
});
