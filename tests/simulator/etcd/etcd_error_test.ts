import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import {
  EtcdError,
  rpcAnswer,
  rpcAnswers,
  toRpcError,
  withPrefix,
} from "../../../simulator/etcd/etcd_error.ts";

Deno.test("a refusal on the way reads with its status inside of others", () => {
  const { inner, refusal } = new EtcdError("context canceled", "CANCELLED");
  assert.equal(inner, "rpc error: code = Canceled desc = context canceled");
  assert.equal(refusal, undefined);
  const given = new EtcdError("late", "DEADLINE_EXCEEDED", "in other words");
  assert.equal(given.inner, "in other words");
});

const refused = new EtcdError("etcdserver: no leader");
const bug = new TypeError("a bug");

Deno.test("bugs of the simulator are passed on as they are", async () => {
  await assert.rejects(rpcAnswer(Promise.reject(bug), "failed"), bug);
  assert.equal(toRpcError(bug, "failed"), bug);
  assert.equal(withPrefix(bug, "failed"), bug);
});

Deno.test("a stream is passed on up to its refusal", async () => {
  async function* answer() {
    yield 1;
    yield 2;
    await Promise.reject(refused);
  }
  const seen: number[] = [];
  await assert.rejects(
    async () => {
      for await (const one of rpcAnswers(answer(), "failed")) seen.push(one);
    },
    new RpcError("UNKNOWN", "failed: etcdserver: no leader"),
  );
  assert.deepEqual(seen, [1, 2]);
});
