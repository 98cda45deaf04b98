import assert from "node:assert/strict";
import { performed } from "../../../commands/_kit/performed.ts";
import type { Globals } from "../../../commands/_kit/globals.ts";
import type { OperateOptions } from "../../../workflows/operations/run_on_nodes.ts";
import type { Verdict } from "../../../workflows/operations/operation.ts";
import { cordon } from "../../../workflows/operations/kubernetes/cordon.ts";
import { reboot } from "../../../workflows/operations/reboot.ts";
import type { Perform } from "../../../workflows/runbooks/module.ts";
import { fakeNodes } from "../../_fake.ts";

const options: OperateOptions = {
  operation: reboot,
  input: { mode: "default" },
};

async function rowsOf(
  names: readonly string[],
  perform: Perform,
  more: Partial<OperateOptions> = {},
) {
  const { nodes } = fakeNodes(
    Object.fromEntries(names.map((name) => [name, {}])),
  );
  const rows = performed({ nodes, perform }, { ...options, ...more });
  return await Array.fromAsync(rows);
}

function ending(outcome: Verdict["outcome"], asked: unknown[] = []): Perform {
  return ({ name }, input) => {
    asked.push([name, input]);
    return Promise.resolve({ outcome, reason: "because" });
  };
}

Deno.test("performed does the operation through the run, and gives its row", async () => {
  for (const outcome of ["done", "unchanged", "accepted"] as const) {
    const asked: unknown[] = [];
    assert.deepEqual(await rowsOf(["cp-1"], ending(outcome, asked)), [
      { node: "cp-1", outcome, reason: "because" },
    ]);
    assert.deepEqual(asked, [["reboot", { mode: "default" }]]);
  }
});

Deno.test("performed gives no row for a bad end, of which the run knows", async () => {
  const bad = ["failed", "refused", "in-doubt", "rolled-back"] as const;
  for (const outcome of bad) {
    assert.deepEqual(await rowsOf(["cp-1"], ending(outcome)), []);
  }
});

Deno.test("performed takes the node and the operation that are named", async () => {
  const asked: unknown[] = [];
  const rows = await rowsOf(["cp-1", "cp-2"], ending("done", asked), {
    names: ["cp-2"],
    operationOf: (node) => node === "cp-2" ? cordon : reboot,
  });
  assert.deepEqual(rows.map(({ node }) => node), ["cp-2"]);
  assert.deepEqual(asked, [["node cordon", { mode: "default" }]]);
});

Deno.test("performed works on one node", async () => {
  await assert.rejects(() => rowsOf(["a", "b"], ending("done")), {
    name: "RefusedError",
    message: 'A step works on one node, and "reboot" is asked for on 2',
    hint: "Put the step into a forEach, or name one under with.node",
  });
});

Deno.test("performed needs a run", async () => {
  const { nodes } = fakeNodes({ a: {} });
  await assert.rejects(() => Array.fromAsync(performed({ nodes }, options)), {
    name: "TypeError",
    message: "No run performs this",
  });
});

Deno.test("performed does nothing to the default node of the context", async () => {
  const { nodes } = fakeNodes({ "cp-1": {} });
  const asked: unknown[] = [];
  const context = {
    nodes,
    perform: ending("done", asked),
    // Only what is looked at.
    globals: { nodes: [] as readonly string[] } as Globals,
  };
  await assert.rejects(() => Array.fromAsync(performed(context, options)), {
    message:
      'The step names no node, and "reboot" is not done to the default node of the context',
    hint: "Put the step into a forEach, or name one under with.node",
  });
  assert.deepEqual(asked, []);
  const named = {
    ...context,
    globals: { nodes: ["cp-1"] } as unknown as Globals,
  };
  const rows = await Array.fromAsync(performed(named, options));
  assert.deepEqual(rows.map(({ node }) => node), ["cp-1"]);
});
