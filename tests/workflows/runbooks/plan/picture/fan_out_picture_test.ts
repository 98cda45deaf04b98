import assert from "node:assert/strict";
import { batchesPicture } from "../../../../../workflows/runbooks/plan/picture/fan_out_picture.ts";
import type {
  Preview,
  Stages,
} from "../../../../../workflows/runbooks/plan/plan.ts";
import { head } from "./_plans.ts";

function fanOut(
  previews: readonly Preview[],
  ...batches: string[][]
): Stages["forEach"] {
  return {
    group: "workers",
    batches,
    ramp: false,
    maxUnavailable: 2,
    maxFailures: 1,
    steps: [{
      ...head("w/body"),
      verb: "block",
      steps: [
        {
          ...head("w/body/go"),
          verb: "run",
          module: "m",
          effect: "write",
          previews,
        },
        { ...head("w/body/rest"), verb: "sleep", duration: "1s" },
      ],
      rescue: [],
      always: [],
    }],
    rescue: [],
    always: [],
  };
}

/** Nodes of a drawing: look, and what is reported when one points at it. */
function nodesOf({ svg }: { readonly svg: string }): readonly string[] {
  const chips = svg.matchAll(
    /<rect class="([\w-]+)"[^>]*rx="4"\/><title>([^<]*)/g,
  );
  return [...chips].map(([, look, title]) =>
    `${look}: ${title?.replaceAll("&#10;", "; ")}`
  );
}

Deno.test("batchesPicture gives each node the look of the worst that comes of it", () => {
  const stage = fanOut(
    [
      { node: "w-1", outcome: "change", actions: [{ action: "reboot" }] },
      { node: "w-2", outcome: "nothing", actions: [], reason: "it is new" },
      { node: "w-3", outcome: "skip", actions: [] },
      { node: "w-4", outcome: "refused", actions: [], reason: "S6" },
      { node: "w-5", outcome: "read", actions: [] },
      { outcome: "unknown", actions: [] },
    ],
    ["w-1", "w-2", "w-3"],
    ["w-4", "w-5", "w-6"],
  );
  const verdicts = [
    { rule: "S1", state: "waits", reason: "cp-3", node: "w-1" },
    { rule: "S2", state: "refuses", reason: "two", node: "w-2" },
    { rule: "S3", state: "holds", reason: "", node: "w-3" },
    { rule: "S4", state: "waits", reason: "" },
  ] as const;
  assert.deepEqual(nodesOf(batchesPicture(stage, verdicts, 400)), [
    "waits: w-1; go change: reboot; S1 waits: cp-3",
    "fails: w-2; go nothing: it is new; S2 refuses: two",
    "left-out: w-3",
    "fails: w-4; go refused: S6",
    "plain: w-5",
    "plain: w-6",
  ]);
});

Deno.test("batchesPicture says how many go at once, and wraps them", () => {
  const { svg, height } = batchesPicture(
    fanOut([], ["w-1", "w-2"], ["w-3"]),
    [],
    120,
  );
  assert.match(svg, />3 nodes of<\/text>/);
  assert.match(svg, />2 at once, the<\/text>/);
  const narrow = batchesPicture(fanOut([], ["w-1", "w-2"], ["w-3"]), [], 60);
  assert.ok(narrow.height > height);
});

Deno.test("batchesPicture has a box for each batch of a ramp", () => {
  const { svg } = batchesPicture(
    { ...fanOut([], ["w-1"], ["w-2"]), ramp: true },
    [],
    400,
  );
  assert.match(svg, />batch 1<.*>batch 2</s);
  assert.match(svg, />one batch at a time</);
});

Deno.test("batchesPicture says that there is no node", () => {
  const { svg } = batchesPicture(fanOut([]), [], 400);
  assert.match(svg, />0 nodes of workers</);
  assert.doesNotMatch(svg, /at once/);
});

Deno.test("batchesPicture says that only the run knows the nodes", () => {
  const stage = { ...fanOut([]), group: "changed", open: true as const };
  const { svg } = batchesPicture(stage, [], 400);
  assert.match(svg, />nodes of changed, known at run time</);
});
