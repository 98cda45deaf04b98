import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { logTails } from "../../../workflows/operations/failure_evidence.ts";
import { type FakeNode, fakeNodes } from "../../_fake.ts";

function readEvidence(handlers: FakeNode, lines?: number) {
  return fakeNodes({ a: handlers }).nodes.at("a").then((client) =>
    logTails(client, lines)
  );
}

const text = (value: string) => ({ bytes: new TextEncoder().encode(value) });

Deno.test("last words are the ends of both logs, chunks cut anywhere", async () => {
  let asked: unknown;
  const words = await readEvidence({
    async *dmesg() {
      yield text("one\ntw");
      await Promise.resolve();
      yield text("o\nthree\nfour\n");
    },
    async *logs(request) {
      asked = request;
      await Promise.resolve();
      yield text("task upgrade: failed\n");
    },
  }, 2);
  assert.deepEqual(words, [
    "kernel: three",
    "kernel: four",
    "machined: task upgrade: failed",
  ]);
  assert.deepEqual(asked, {
    namespace: "system",
    id: "machined",
    driver: 0,
    follow: false,
    tailLines: 2,
  });
});

Deno.test("a log that cannot be read, or breaks off, says so", async () => {
  const words = await readEvidence({
    async *dmesg() {
      yield text("panic\n");
      await Promise.resolve();
      throw new RpcError("UNAVAILABLE", "Connection lost");
    },
    logs() {
      throw new RpcError("PERMISSION_DENIED", "not authorized");
    },
  });
  assert.deepEqual(words, [
    "kernel: panic",
    "kernel: cannot be read: Connection lost",
    "machined: cannot be read: not authorized",
  ]);
});
