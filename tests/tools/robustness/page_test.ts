import assert from "node:assert/strict";
import {
  between,
  type CountedTrial,
  formatCounts,
  formatProofs,
} from "../../../tools/robustness/page.ts";

const process = {
  ...{ wish: 0, line: "reboot", hung: false, out: "", err: "", states: [] },
};
const trials: readonly CountedTrial[] = [
  {
    attack: { name: "kill" },
    violations: [],
    history: {
      processes: [{ ...process, status: -1 }, { ...process, status: 0 }],
    },
  },
  {
    attack: { name: "kill" },
    violations: [{ promise: "once", seen: "worker-1 booted 2 times" }],
    history: { processes: [{ ...process, status: 0 }] },
  },
];

Deno.test("formatCounts counts trials, processes and broken promises", () => {
  const run = { date: "2026-11-27", version: "0.1.0", seed: 3, seconds: 600 };
  const lines = formatCounts(trials, run).split("\n");
  assert.equal(
    lines[0],
    "2026-11-27, osctl 0.1.0, seed 3: 2 trials in 10 minutes, with 3 processes of osctl, 1 of them killed.",
  );
  assert.ok(
    lines.includes("| Nothing is done twice for one request | 2 | 1 |"),
  );
  assert.match(
    lines.find((line) => line.includes("`kill`")) ?? "",
    / 2 \| 1 \|$/,
  );
  assert.match(
    lines.find((line) => line.includes("`late`")) ?? "",
    / 0 \| 0 \|$/,
  );
});

Deno.test("formatProofs says what was taken out, and what was seen then", () => {
  const seen =
    'status 0 of "reset --yes --nodes 127.0.0.1", but simulated-worker-1 was not wiped';
  assert.deepEqual(
    formatProofs([{
      does: "silence counts as reset",
      attack: "other/reset",
      violations: [
        { promise: "honest", seen },
        { promise: "once", seen: "worker-1 booted 2 times" },
      ],
    }, {
      does: "logins are shown",
      attack: "registry/image cache",
      violations: [{ promise: "secret", seen: "a secret is in /tmp/1a/heard" }],
    }]).split("\n").slice(2, 4),
    [
      '| silence counts as reset | `other/reset` | honest: status 0 of "reset …", but worker-1 was not wiped, and 1 more |',
      "| logins are shown | `registry/image cache` | secret: a secret is in heard |",
    ],
  );
});

Deno.test("between replaces what is between the markers, and nothing else", () => {
  const page = "# A\n\n<!-- counts -->\n\nold\n\n<!-- end of counts -->\n\nB\n";
  assert.equal(
    between(page, "counts", "new\n"),
    "# A\n\n<!-- counts -->\n\nnew\n\n<!-- end of counts -->\n\nB\n",
  );
  assert.throws(() => between(page, "proofs", ""), {
    message: 'The page has no "<!-- proofs -->"',
  });
});
