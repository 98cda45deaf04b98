import assert from "node:assert/strict";
import {
  type ChoiceContext,
  fromControlPlane,
} from "../../commands/kubeconfig.ts";
import { ConnectError, RpcError } from "../../errors.ts";
import { type FakeNodes, fakeNodes } from "../_fake.ts";
import { members } from "./_machine.ts";

async function choose(
  fakes: FakeNodes,
  named: readonly string[] = [],
  fail: Readonly<Record<string, Error>> = {},
) {
  const reported: string[] = [];
  const asked: string[] = [];
  // Only what the choice looks at.
  const context = {
    globals: { nodes: named },
    nodes: fakeNodes(fakes).nodes,
    note: (text: string) => reported.push(text),
  } as unknown as ChoiceContext;
  const { node } = await fromControlPlane(context, "kubeconfig", (client) => {
    asked.push(client.node);
    const failure = fail[client.node];
    return failure === undefined
      ? Promise.resolve("answer")
      : Promise.reject(failure);
  });
  return { node, reported, asked };
}

const three = members({ w: "worker", a: "controlplane", b: "controlplane" });
const gone = new ConnectError("refused", "Cannot connect");

Deno.test("a node that was named is asked, whatever it is", async () => {
  assert.deepEqual(await choose({ w: {}, "": three }, ["w"]), {
    node: "w",
    reported: [],
    asked: ["w"],
  });
});

Deno.test("one that is unavailable is passed over, one that refuses is not", async () => {
  const found = await choose({ a: {}, "": three }, [], { a: gone });
  assert.deepEqual(found.asked, ["a", "b"]);
  assert.equal(found.reported[1], "a does not answer: Cannot connect");
  const no = new RpcError("PERMISSION_DENIED", "not you");
  await assert.rejects(choose({ a: {}, "": three }, [], { a: no }), no);
  await assert.rejects(
    choose({ a: {}, "": three }, [], { a: gone, b: gone }),
    gone,
  );
});

Deno.test("the default nodes do when members may not be listed, and the endpoint when there are none", async () => {
  const secret = {
    // deno-lint-ignore require-yield
    async *list() {
      throw await Promise.resolve(new RpcError("PERMISSION_DENIED", "no"));
    },
  };
  assert.equal((await choose({ x: {}, "": secret })).node, "x");
  assert.equal((await choose({ "": secret })).node, "endpoint");
});
