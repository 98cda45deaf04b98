import assert from "node:assert/strict";
import { NodesError, RpcError } from "../../../errors.ts";
import { selectNodes } from "../../../transport/node/select_nodes.ts";
import { fakeNodes } from "../../_fake.ts";

const up = { version: () => ({ messages: [{}] }) };

Deno.test("fewer nodes are asked over the same connections, and fail like all", async () => {
  const down = {
    version: () => Promise.reject(new RpcError("UNAVAILABLE", "down")),
  };
  const { nodes } = fakeNodes({ a: {}, b: up, c: down });
  const some = selectNodes(nodes, ["b", "c"]);
  assert.deepEqual(await some.names(), ["b", "c"]);
  const seen: string[] = [];
  await assert.rejects(async () => {
    const answers = some.call(({ machine }) => machine.version({}));
    for await (const { node } of answers) seen.push(node);
  }, (error) => {
    assert.ok(error instanceof NodesError);
    assert.deepEqual([...error.failures.keys()], ["c"]);
    return true;
  });
  assert.deepEqual(seen, ["b"]);
  await assert.rejects(
    async () => await some.only("read"),
    /works on one node, and 2 are/,
  );
  const client = await selectNodes(nodes, ["b"]).only("read");
  assert.equal(client.node, "b");
});
