import assert from "node:assert/strict";
import { planText } from "../../../../workflows/runbooks/report/plan_view.ts";
import { emptyPlan, head } from "../plan/page/_plans.ts";

Deno.test("planText says that there is nothing to do", () => {
  assert.equal(
    planText(emptyPlan),
    `rolling-upgrade on prod: Upgrade every node, one safe disruption at a time

nothing to do
`,
  );
});

Deno.test("planText says what is not known, and what does not hold", () => {
  const text = planText({
    ...emptyPlan,
    stages: [
      { ...head("a"), verb: "assert", that: "x", holds: "no", message: "m" },
      { ...head("b"), verb: "decide", name: "n" },
      {
        ...head("c"),
        verb: "run",
        module: "m",
        effect: "destroy",
        previews: [{
          node: "w-1",
          outcome: "change",
          actions: [{ action: "wipe", loses: "data" }, { action: "reboot" }],
          reason: "it is\nold",
        }],
      },
    ],
  });
  assert.equal(
    text,
    `rolling-upgrade on prod: Upgrade every node, one safe disruption at a time

STEP   NODE   STATE     WHAT
a             fails     x
b             unknown   n
c      w-1    change    wipe (loses data); reboot; it is old
`,
  );
});

Deno.test("planText lists all inputs, and marks those that were not given", () => {
  const inputs = { version: "v1.14.1", soak: "2m", image: "", limit: null };
  assert.equal(
    planText({ ...emptyPlan, inputs }, { given: new Set(["version"]) }),
    `rolling-upgrade on prod: Upgrade every node, one safe disruption at a time

nothing to do

INPUT     VALUE
version   v1.14.1
soak      2m (default)
image     "" (default)
limit     null (default)
`,
  );
});

Deno.test("planText says of questions and waits when they may be omitted", () => {
  const maybe = { when: "x", happens: "unknown" } as const;
  const text = planText({
    ...emptyPlan,
    stages: [
      {
        ...head("a", maybe),
        verb: "approve",
        tag: "go",
        message: "Go on?",
        destructive: false,
      },
      { ...head("b", maybe), verb: "sleep", duration: "30s" },
    ],
  });
  assert.equal(
    text.split("\n\n")[1],
    `STEP   NODE   STATE       WHAT
a             may ask     go: Go on?
b             may sleep   30s
`,
  );
});
