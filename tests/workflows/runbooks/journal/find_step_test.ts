import assert from "node:assert/strict";
import { RunHistory } from "../../../../workflows/runbooks/journal/history.ts";
import {
  listSteps,
  stepNamed,
} from "../../../../workflows/runbooks/journal/find_step.ts";
import { demo, started } from "../store/_runs.ts";

function makeNamed(word: string) {
  const history = Object.assign(new RunHistory(), { start: started.data });
  const { step, node } = stepNamed(demo, history, word);
  return [step.path, node];
}

Deno.test("steps of a runbook are those of blocks, fan-outs and used runbooks, too", () => {
  assert.deepEqual(
    listSteps(demo).map(({ path, tag, group, fanOut }) =>
      [path, tag, group, fanOut?.path].filter((part) => part !== undefined)
    ),
    [
      ["snapshot"],
      ["go", "start"],
      ["workers", "#workers"],
      ["workers/drain", "workers"],
      ["workers/restart", "workers"],
      ["more"],
      ["more/late", "#late"],
      ["planes"],
      ["planes/each", "planes#all"],
      ["planes/wipe", "wipe"],
    ],
  );
});

Deno.test("a step is named by its path, or by how only one ends", () => {
  assert.deepEqual(makeNamed("snapshot"), ["snapshot", undefined]);
  assert.deepEqual(makeNamed("workers/drain@w-2"), ["workers/drain", "w-2"]);
  assert.deepEqual(makeNamed("restart@w-3"), ["workers/restart", "w-3"]);
  assert.deepEqual(makeNamed("each"), ["planes/each", undefined]);
});

const wrong: Readonly<Record<string, readonly [string, string]>> = {
  nothing: [
    'There is no step "nothing" in this run',
    "Name one: snapshot, go, workers, workers/drain, workers/restart, ...",
  ],
  estart: [
    'There is no step "estart" in this run',
    "Name one: snapshot, go, workers, workers/drain, workers/restart, ...",
  ],
  drain: [
    'Step "workers/drain" runs once per node',
    "Name it with one of its nodes: workers/drain@w-1, workers/drain@w-2, workers/drain@w-3",
  ],
  "drain@cp-1": [
    'Step "workers/drain" does not run on "cp-1"',
    "Name it with one of its nodes: workers/drain@w-1, workers/drain@w-2, workers/drain@w-3",
  ],
  "go@w-1": ['Step "go" is not in a fan-out', "Name it without a node: go"],
};

for (const [word, [message, hint]] of Object.entries(wrong)) {
  Deno.test(`"${word}" is refused with what would be right`, () => {
    assert.throws(() => makeNamed(word), {
      name: "ConfigError",
      message,
      hint,
    });
  });
}

Deno.test("a word that two steps end in means neither, and nodes may not be known yet", () => {
  const [, go] = demo.steps;
  const late = demo.steps[2]!;
  const twice = {
    ...demo,
    steps: [
      ...demo.steps,
      {
        ...go!,
        id: "again",
        verb: "block" as const,
        steps: [{ ...late, id: "each", nodes: "none" }],
        rescue: [],
        always: [],
      },
    ],
  };
  const history = new RunHistory();
  assert.throws(() => stepNamed(twice as typeof demo, history, "each"), {
    message: '"each" matches 2 steps',
    hint: "Name one: planes/each, again/each",
  });
  assert.throws(() => stepNamed(demo, history, "drain@w-1"), {
    message: 'Step "workers/drain" does not run on "w-1"',
    hint: "Its nodes are not known before it starts",
  });
});
