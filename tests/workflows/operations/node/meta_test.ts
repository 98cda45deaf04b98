import assert from "node:assert/strict";
import { RpcError } from "../../../../errors.ts";
import {
  metaDelete,
  metaWrite,
} from "../../../../workflows/operations/node/meta.ts";
import { contextWith, listing, runWalk } from "../_run_operation.ts";

const input = { key: 10, value: "abc" };

function keys(value: string | undefined) {
  return {
    list: listing({
      MetaKeys: value === undefined ? {} : { "0x0a": { value } },
    }),
  };
}

const hidden = {
  // deno-lint-ignore require-yield
  async *list() {
    throw await Promise.resolve(new RpcError("PERMISSION_DENIED", "no"));
  },
};

Deno.test("meta write has nothing to do where the value already exists", async () => {
  const { context } = await contextWith(keys("abc"));
  assert.deepEqual(
    metaWrite.plan(await metaWrite.observe(context, input), input),
    [],
  );
});

Deno.test("meta write replaces another value, and writes where keys are hidden", async () => {
  for (const handlers of [keys("old"), keys(undefined), hidden]) {
    const { context } = await contextWith(handlers);
    assert.deepEqual(
      metaWrite.plan(await metaWrite.observe(context, input), input),
      [{ action: "write META key 0x0a" }],
    );
  }
});

Deno.test("meta write sends the bytes of the value", async () => {
  const asked: { key: number; value: Uint8Array }[] = [];
  const { context } = await contextWith({
    metaWrite(request) {
      asked.push(request);
      return { messages: [{}] };
    },
  });
  await runWalk(metaWrite.apply(context, { key: 6, value: "ä" }, null));
  assert.deepEqual(asked.map(({ key, value }) => [key, [...value]]), [
    [6, [0xc3, 0xa4]],
  ]);
});

Deno.test("meta write is done when the node shows the value", async () => {
  let looks = 0;
  const { context, elapsedMs } = await contextWith({
    list: (request) => keys(++looks < 3 ? "old" : "abc").list(request),
  });
  assert.deepEqual(
    (await runWalk(metaWrite.verify(context, input, null))).verdict,
    { outcome: "done", reason: "META key 0x0a is written" },
  );
  assert.equal(elapsedMs(), 1000);
});

Deno.test("meta write is only accepted where keys are hidden", async () => {
  const { context } = await contextWith(hidden);
  assert.deepEqual(
    (await runWalk(metaWrite.verify(context, input, null))).verdict,
    {
      outcome: "accepted",
      reason: "accepted by the node, which does not list its keys",
    },
  );
  assert.equal(await metaWrite.reconcile(context, input, null), "unknown");
});

Deno.test("meta delete has nothing to do where the key is not there, and is done when it is gone", async () => {
  const { context } = await contextWith(keys(undefined));
  assert.deepEqual(
    metaDelete.plan(await metaDelete.observe(context, input), input),
    [],
  );
  assert.deepEqual(
    (await runWalk(metaDelete.verify(context, input, null))).verdict,
    { outcome: "done", reason: "META key 0x0a is deleted" },
  );
  const other = await contextWith(keys(""));
  const seen = await metaDelete.observe(other.context, input);
  assert.deepEqual(metaDelete.plan(seen, input), [
    { action: "delete META key 0x0a" },
  ]);
});

Deno.test("a lost reply is resolved by looking", async () => {
  const { context } = await contextWith(keys("abc"));
  assert.equal(await metaWrite.reconcile(context, input, null), "done");
  assert.equal(await metaDelete.reconcile(context, input, null), "not-started");
});
