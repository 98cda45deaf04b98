import assert from "node:assert/strict";
import { ConfigError } from "../../../../errors.ts";
import { realEtcd } from "../../../../simulator/etcd/real/real_backend.ts";
import { testReal } from "../_real.ts";

Deno.test("a program that is not there is named", async () => {
  await assert.rejects(
    realEtcd({ program: "/nowhere/etcd" }, new Map()),
    (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /\/nowhere\/etcd/);
      return true;
    },
  );
});

testReal(
  "a server is shown where its node is, and keeps its place",
  async ({ backend, server, identity }) => {
    const url = await server.peerUrl();
    assert.match(url, /^https:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(await server.peerUrl(), url);
    assert.equal(backend.shownUrl(url), `https://${identity.address}:2380`);
    assert.equal(backend.shownUrl("https://other:1"), "https://other:1");
  },
);
