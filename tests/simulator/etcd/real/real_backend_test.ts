import assert from "node:assert/strict";
import { testReal } from "../_real.ts";

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
