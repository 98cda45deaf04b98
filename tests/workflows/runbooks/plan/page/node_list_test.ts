import assert from "node:assert/strict";
import { nodeList } from "../../../../../workflows/runbooks/plan/page/node_list.ts";
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

/** Nodes of a list: look and tooltip. */
function parseNodes(html: string): readonly string[] {
  return [...html.matchAll(/<li class="node ([\w-]+)" title="([^"]*)"/g)]
    .map(([, look, title]) => `${look}: ${title?.replaceAll("&#10;", "; ")}`);
}

Deno.test("nodeList gives each node the look of its worst outcome", () => {
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
  assert.deepEqual(parseNodes(nodeList(stage, verdicts)), [
    "waits: w-1; go changes: reboot; S1 waits: cp-3",
    "fails: w-2; go no change: it is new; S2 refuses: two",
    "left-out: w-3",
    "fails: w-4; go refused: S6",
    "plain: w-5",
    "plain: w-6",
  ]);
});

Deno.test("nodeList names the group of nodes known at run time", () => {
  const stage = { ...fanOut([]), group: "changed", open: true as const };
  assert.match(nodeList(stage, []), />nodes of changed, known at run time</);
});
