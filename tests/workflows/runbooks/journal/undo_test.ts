import assert from "node:assert/strict";
import { RunHistory } from "../../../../workflows/runbooks/journal/history.ts";
import { undo } from "../../../../workflows/runbooks/journal/undo.ts";

const ok = { state: "ok", entry: 1, outputs: {} } as const;
const intent = {
  key: null,
  input: null,
  operation: "ca.accept",
  entry: 1,
  acknowledged: true,
  steps: [],
};

/** A history in which these steps ended well; those that end in `!` have sent something. */
function makeHistory(
  keys: readonly string[],
  nodes: readonly string[] = [],
): RunHistory {
  const history = new RunHistory();
  for (const key of keys) {
    const sent = key.endsWith("!") ? { intent } : {};
    history.instances.set(key.replace("!", ""), { result: ok, ...sent });
  }
  for (const key of nodes) history.nodes.set(key, { entry: 2, state: "done" });
  return history;
}

/** Steps that do not count any more. */
function undoneIn({ instances }: RunHistory): readonly string[] {
  return [...instances].flatMap(([key, { result }]) =>
    result?.state === "failed" && result.code === "cancelled" ? [key] : []
  );
}

Deno.test("in the block of a node all of its steps are undone, but not those of the rescue, and nothing of others", () => {
  const history = makeHistory([
    "workers/body/arm@w-1!",
    "workers/body/back@w-1",
    "workers/body/revert@w-1!",
    "workers/body/arm@w-2!",
    "workers/before@w-1",
  ], ["workers@w-1"]);
  undo(history, {
    block: "workers/body",
    node: "w-1",
    nodes: ["w-1"],
    rescue: ["revert"],
  });
  assert.deepEqual(undoneIn(history), [
    "workers/body/arm@w-1",
    "workers/body/back@w-1",
  ]);
  // Sent requests stay recorded, so that their outcome can be read.
  assert.ok(history.instances.get("workers/body/arm@w-1")?.intent);
  assert.equal(history.nodes.get("workers@w-1")?.state, "done");
});

Deno.test("in a block of the cluster what was done to the nodes that were changed is undone, and the way there", () => {
  const history = makeHistory([
    "os/make",
    "os/accept",
    "os/accept/all",
    "os/accept/all/patch@w-1!",
    "os/accept/all/patch@w-2!",
    "os/tell!",
    "os/take-back/all/patch@w-1!",
    "snapshot",
  ], ["os/accept/all@w-1", "os/accept/all@w-2", "os/take-back/all@w-1"]);
  undo(history, {
    block: "os",
    node: undefined,
    nodes: ["w-1"],
    rescue: ["take-back"],
  });
  assert.deepEqual(undoneIn(history), [
    "os/make",
    "os/accept",
    "os/accept/all",
    "os/accept/all/patch@w-1",
  ]);
  assert.deepEqual([...history.nodes], [
    ["os/accept/all@w-1", {
      entry: 2,
      state: "failed",
      code: "cancelled",
      message: "rolled back",
    }],
    ["os/accept/all@w-2", { entry: 2, state: "done" }],
    ["os/take-back/all@w-1", { entry: 2, state: "done" }],
  ]);
});

Deno.test("the rescue of a whole runbook undoes at the top", () => {
  const history = makeHistory(["look", "all/patch@w-1!", "mend/patch@w-1!"]);
  undo(history, {
    block: "",
    node: undefined,
    nodes: ["w-1"],
    rescue: ["mend"],
  });
  assert.deepEqual(undoneIn(history), ["look", "all/patch@w-1"]);
});
