import assert from "node:assert/strict";
import {
  readConfigurations,
  readConnected,
} from "../../../workflows/configuration/pending_change.ts";
import { RpcError } from "../../../errors.ts";
import { after, before, hashText, makeStage } from "./_node.ts";

Deno.test("readConfigurations gives the hashes of what runs and of what is kept", async () => {
  const { context } = await makeStage({ node: { active: after } });
  assert.deepEqual(await readConfigurations(context.client), {
    active: await hashText(after),
    saved: await hashText(before),
  });
});

Deno.test("readConfigurations of an old node does not know what is kept", async () => {
  const { context } = await makeStage({ node: { saved: undefined } });
  assert.equal((await readConfigurations(context.client)).saved, null);
});

Deno.test("readConnected finds a node wherever it is, and closes what is not needed", async () => {
  for (const place of [undefined, "10.0.0.8", "10.0.0.9"]) {
    const { node, aim } = await makeStage({
      node: { active: after, place },
      aim: { places: ["10.0.0.8", "10.0.0.9"] },
    });
    const { state, close } = await readConnected("a", aim);
    assert.equal(state.active, await hashText(after));
    assert.equal(node.open, 1);
    close();
    assert.equal(node.open, 0);
  }
});

Deno.test("readConnected does not look where a node that moves has been", async () => {
  const { aim } = await makeStage({
    node: { active: after },
    aim: { places: ["10.0.0.9"], moves: true },
  });
  await assert.rejects(readConnected("a", aim), RpcError);
});

Deno.test("readConnected gives what it finds when no node has the configuration", async () => {
  const { node, aim } = await makeStage({ aim: { places: ["10.0.0.9"] } });
  const { state, close } = await readConnected("a", aim);
  close();
  assert.deepEqual([state.active, node.open], [await hashText(before), 0]);
});
