import assert from "node:assert/strict";
import { RpcError } from "../../../../errors.ts";
import { run } from "../../../_run.ts";

Deno.test("etcd downgrade validate tells the version of the cluster", async () => {
  const asked: unknown[] = [];
  const node = {
    etcdDowngradeValidate(request: unknown) {
      asked.push(request);
      return {
        messages: [{ clusterDowngrade: { clusterVersion: "3.6.0" } }],
      };
    },
  };
  const { out, status } = await run("etcd downgrade validate 3.5 -o jsonl", {
    a: node,
  });
  assert.deepEqual(JSON.parse(out), {
    node: "a",
    clusterVersion: "3.6.0",
    message: "downgrade validate success, cluster version 3.6.0",
  });
  assert.deepEqual(asked, [{ version: "3.5" }]);
  assert.equal(status, 0);
});

Deno.test("etcd downgrade validate shows what the node says", async () => {
  const no = () =>
    Promise.reject(new RpcError("FAILED_PRECONDITION", "invalid target"));
  const { err, status } = await run("etcd downgrade validate 3.1", {
    a: { etcdDowngradeValidate: no },
  });
  assert.match(err, /invalid target/);
  assert.equal(status, 1);
});

Deno.test("etcd downgrade validate needs a version", async () => {
  const { err, status } = await run("etcd downgrade validate");
  assert.match(err, /<version> is missing/);
  assert.equal(status, 2);
});
