import assert from "node:assert/strict";
import { lazyNodes } from "../../../transport/node/nodes.ts";
import { fakeNodes } from "../../_fake.ts";

Deno.test("lazyNodes opens on first use, once, and closes what it opened", async () => {
  let opened = 0;
  let closed = 0;
  const fakes = fakeNodes({ a: { hostname: () => ({ messages: [] }) } });
  const nodes = lazyNodes(() => {
    opened++;
    return Promise.resolve({ ...fakes.nodes, close: () => void closed++ });
  });
  assert.equal(opened, 0);
  assert.deepEqual(await nodes.names(), ["a"]);
  const answers = await Array.fromAsync(
    nodes.call(({ machine }) => machine.hostname({})),
  );
  assert.deepEqual(answers, [{ node: "a", value: { messages: [] } }]);
  const streamed = await Array.fromAsync(
    nodes.stream(async function* ({ node }) {
      yield node;
    }),
  );
  assert.deepEqual(streamed, [{ node: "a", value: "a" }]);
  assert.equal((await nodes.only("x")).node, "a");
  assert.equal((await nodes.unconfigured("a")).node, "bare a");
  assert.equal((await nodes.endpoint()).node, "endpoint");
  assert.equal(opened, 1);
  nodes.close();
  await Promise.resolve();
  assert.equal(closed, 1);
});

Deno.test("lazyNodes closes nothing that was never opened", () => {
  let opened = 0;
  const nodes = lazyNodes(() => {
    opened++;
    return Promise.reject(new Error("opened"));
  });
  nodes.close();
  assert.equal(opened, 0);
});

Deno.test("lazyNodes raises a failure to open where the nodes are used", async () => {
  const nodes = lazyNodes(() => Promise.reject(new Error("no file")));
  await assert.rejects(nodes.names(), { message: "no file" });
  nodes.close();
});
