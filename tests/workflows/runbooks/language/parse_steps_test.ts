import assert from "node:assert/strict";
import type { Step } from "../../../../workflows/runbooks/runbook.ts";
import { book, load } from "./_finders.ts";

async function step(...lines: readonly string[]): Promise<unknown> {
  const text = book(
    "groups: { workers: { role: worker } }",
    "steps:",
    `  - id: s`,
    ...lines.map((line) => `    ${line}`),
  );
  const { steps: [first] } = await load({ "a.yaml": text });
  assert.ok(first);
  return bare(first);
}

/** Without places and what every step has; inner steps are their ids. */
function bare({ place: _, ...step }: Step): unknown {
  const { onFailure, pointOfNoReturn, id, ...verb } = step;
  assert.deepEqual([id, onFailure, pointOfNoReturn], ["s", "fail", false]);
  return JSON.parse(
    JSON.stringify(
      verb,
      (key, value) =>
        key === "place"
          ? undefined
          : ["steps", "rescue", "always"].includes(key) && Array.isArray(value)
          ? value.map((inner: Step) => inner.id)
          : value,
    ),
  );
}

Deno.test("a step keeps what all steps have", async () => {
  const text = book(
    "steps:",
    "  - id: first-one",
    "    title: First",
    "    when: cluster.name == 'x'",
    "    onFailure: continue",
    "    pointOfNoReturn: true",
    "    sleep: 5m",
  );
  const { steps } = await load({ "a.yaml": text });
  assert.deepEqual(steps, [{
    id: "first-one",
    title: "First",
    when: "cluster.name == 'x'",
    onFailure: "continue",
    pointOfNoReturn: true,
    place: { file: "a.yaml", line: 6, column: 5 },
    verb: "sleep",
    duration: "5m",
  }]);
});

const full = { initial: "2s", factor: 2, max: "1m", jitter: "full" };
const inner = [
  "steps: [{ id: a, run: node.cordon }]",
  "rescue: [{ id: b, run: node.cordon }]",
  "always: [{ id: c, run: node.cordon }]",
];

/** Lines of a step, and what they become. */
const kept: readonly (readonly [readonly string[], object])[] = [
  [
    [
      "run: etcd.status",
      "timeout: ${{ inputs.x }}",
      "retry: { attempts: 5, backoff: { initial: 1s, factor: 1.5, max: 2m, jitter: none }, on: [unavailable, deadline] }",
      'until: { condition: "result.ok", poll: 1s, timeout: 3m }',
    ],
    {
      ...{ verb: "run", module: "etcd.status", with: {} },
      timeout: "${{ inputs.x }}",
      retry: {
        attempts: 5,
        backoff: { initial: "1s", factor: 1.5, max: "2m", jitter: "none" },
        on: ["unavailable", "deadline"],
      },
      until: { condition: "result.ok", poll: "1s", timeout: "3m" },
    },
  ],
  [
    ["run: etcd.status", "retry: 3", "until: { condition: result.ok }"],
    {
      ...{ verb: "run", module: "etcd.status", with: {} },
      retry: { attempts: 3, backoff: full },
      until: { condition: "result.ok", poll: "2s", timeout: "5m" },
    },
  ],
  [
    [
      "run: etcd.snapshot",
      'with: { artifact: "1", count: 0x10, within: 5m, parts: [{ size: 1 }] }',
      "retry: { attempts: 2, on: deadline }",
    ],
    {
      ...{ verb: "run", module: "etcd.snapshot" },
      with: { artifact: "1", count: 16, within: "5m", parts: [{ size: 1 }] },
      retry: { attempts: 2, backoff: full, on: ["deadline"] },
    },
  ],
  [
    [
      "approve: { tag: go, message: Sure?, destructive: true, typed: '${{ cluster.name }}', timeout: 2h }",
    ],
    {
      ...{ verb: "approve", tag: "go", message: "Sure?", destructive: true },
      ...{ typed: "${{ cluster.name }}", timeout: "2h" },
    },
  ],
  [
    ["approve: { tag: go, message: Sure? }"],
    { verb: "approve", tag: "go", message: "Sure?", destructive: false },
  ],
  [
    ["assert: { that: 1 < 2, message: No }"],
    { verb: "assert", that: "1 < 2", message: "No" },
  ],
  [["assert: { that: 1 < 2 }"], {
    ...{ verb: "assert", that: "1 < 2" },
    message: "This condition is false: 1 < 2",
  }],
  [
    ["decide: { name: n, value: [1] }"],
    { verb: "decide", name: "n", value: [1] },
  ],
  [
    ["sleep: '${{ inputs.x }}'"],
    { verb: "sleep", duration: "${{ inputs.x }}" },
  ],
  [
    [
      "forEach:",
      "  nodes: workers",
      "  strategy: { batch: [1, 10%, 25%], maxUnavailable: 2, maxFailures: 5% }",
      ...inner,
    ],
    {
      ...{ verb: "forEach", nodes: "workers" },
      strategy: {
        batch: [1, "10%", "25%"],
        maxUnavailable: 2,
        maxFailures: "5%",
      },
      ...{ steps: ["a"], rescue: ["b"], always: ["c"] },
    },
  ],
  [
    ["forEach: workers", ...inner.slice(0, 1)],
    {
      ...{ verb: "forEach", nodes: "workers" },
      strategy: { batch: 1, maxFailures: 0 },
      ...{ steps: ["a"], rescue: [], always: [] },
    },
  ],
];

for (const [lines, expected] of kept) {
  Deno.test(`a step keeps every key: ${lines.join("; ")}`, async () => {
    assert.deepEqual(await step(...lines), expected);
  });
}
