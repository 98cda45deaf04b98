import assert from "node:assert/strict";
import {
  EtcdError,
  etcdRefusal,
  notServed,
} from "../../../simulator/etcd/etcd_error.ts";

Deno.test("a refusal of etcd is known by its words, and reads the same inside of others", () => {
  const { message, code, inner, refusal } = new EtcdError(
    "etcdserver: member not found",
  );
  assert.deepEqual([message, code, inner, refusal], [
    "etcdserver: member not found",
    undefined,
    "etcdserver: member not found",
    "memberNotFound",
  ]);
  assert.equal(new EtcdError("etcdserver: not known").refusal, undefined);
});

Deno.test("no two refusals have the same words", () => {
  const words = Object.values(etcdRefusal);
  assert.equal(new Set(words).size, words.length);
});

Deno.test("a refusal on the way reads with its status inside of others", () => {
  const { inner, refusal } = new EtcdError("context canceled", "CANCELLED");
  assert.equal(inner, "rpc error: code = Canceled desc = context canceled");
  assert.equal(refusal, undefined);
  const given = new EtcdError("late", "DEADLINE_EXCEEDED", "in other words");
  assert.equal(given.inner, "in other words");
});

Deno.test("a server that does not run refuses the connection", () => {
  const { code, message } = notServed("10.5.0.2:2379");
  assert.equal(code, "UNAVAILABLE");
  assert.equal(
    message,
    'connection error: desc = "transport: Error while dialing: dial tcp 10.5.0.2:2379: connect: connection refused"',
  );
});
