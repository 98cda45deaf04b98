import assert from "node:assert/strict";
import type { ClientContext } from "../../../config/osconfig/osconfig.ts";
import { parseOsconfig } from "../../../config/osconfig/osconfig_file.ts";
import {
  changedFields,
  sameCluster,
} from "../../../config/osconfig/same_context.ts";

async function context(fields: string): Promise<ClientContext> {
  const { contexts } = await parseOsconfig(`contexts: {a: {${fields}}}\n`, "f");
  const found = contexts.get("a");
  if (found === undefined) throw new Error("expected a context");
  return found;
}

Deno.test("a context does not differ from itself, however it is written", async () => {
  const a = await context(
    "endpoints: [x], nodes: [], ca: '', auth: {basic: {username: u}}, y: [1], z: {}",
  );
  const b = await context(
    "z: {}, y: [1], endpoints: [x], auth: {basic: {username: u}}",
  );
  assert.deepEqual(changedFields(a, b), []);
});

Deno.test("every field that differs is named, in the order of the file", async () => {
  const a = await context(
    "new: 1, same: 1, cluster: c, auth: {basic: {username: u}}, key: AAAA, crt: AAAA, ca: AAAA, nodes: [n], endpoints: [x, y]",
  );
  const b = await context(
    "same: 1, gone: 1, auth: {basic: {username: v}}, crt: BBBB, endpoints: [y, x]",
  );
  const known = ["endpoints", "nodes", "ca", "crt", "key", "auth", "cluster"];
  assert.deepEqual(changedFields(a, b), [...known, "new", "gone"]);
});

Deno.test("one CA means one cluster, whatever else differs", async () => {
  const a = await context("ca: LS0tCmEKLS0tCg==, endpoints: [x]");
  const b = await context("ca: 'LS0t IAph Ci0t LQ==', endpoints: [y]");
  assert.equal(sameCluster(a, b), true);
});

Deno.test("another CA means another cluster, whatever else is the same", async () => {
  const a = await context("ca: AAAA, endpoints: [x], cluster: c");
  const b = await context("ca: AAAB, endpoints: [x], cluster: c");
  const none = await context("endpoints: [x], cluster: c");
  assert.equal(sameCluster(a, b), false);
  assert.equal(sameCluster(a, none), false);
  assert.equal(sameCluster(none, a), false);
});

Deno.test("without CAs, endpoints and cluster decide", async () => {
  const a = await context("endpoints: [x], cluster: c, nodes: [n]");
  assert.equal(
    sameCluster(a, await context("endpoints: [x], cluster: c")),
    true,
  );
  assert.equal(sameCluster(a, await context("endpoints: [x]")), false);
  assert.equal(
    sameCluster(a, await context("endpoints: [y], cluster: c")),
    false,
  );
  const bare = await context("nodes: [n]");
  assert.equal(sameCluster(bare, await context("nodes: [m]")), false);
});
