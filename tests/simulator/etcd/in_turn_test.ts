import assert from "node:assert/strict";
import { createQueue } from "../../../simulator/etcd/in_turn.ts";

Deno.test("one begins when the one before has ended, also in failure", async () => {
  const inTurn = createQueue();
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const failure = new Error("it went wrong");
  const first = inTurn(async () => {
    seen.push("first begins");
    await gate.promise;
    seen.push("first ends");
    throw failure;
  });
  const second = inTurn(() => {
    seen.push("second");
    return Promise.resolve(2);
  });
  const refused = assert.rejects(first, failure);
  // Another queue does not wait for this one.
  await createQueue()(() => Promise.resolve());
  assert.deepEqual(seen, ["first begins"]);
  gate.resolve();
  assert.equal(await second, 2);
  await refused;
  assert.deepEqual(seen, ["first begins", "first ends", "second"]);
});
