import assert from "node:assert/strict";

import { run } from "../../../_run.ts";
import { seal, withFile } from "../../../workflows/etcd/snapshot/_bolt.ts";
import { snapshotDatabase } from "../../../workflows/etcd/snapshot/_snapshot.ts";

/** Runs the command on a file; its path is removed from what was printed. */
async function verify(content: Uint8Array, flags = "") {
  return await withFile(content, async (path) => {
    const line = `etcd snapshot verify ${path} ${flags}`;
    const { out, err, status } = await run(line);
    const withoutPath = (text: string) => text.replaceAll(path, "FILE");
    return { out: withoutPath(out), err: withoutPath(err), status };
  });
}

const whole = await seal(snapshotDatabase);

Deno.test("etcd snapshot verify shows the figures of a snapshot", async () => {
  assert.deepEqual(await verify(whole), {
    out:
      `HASH       REVISION   TOTAL KEYS   ENTRIES   TOTAL SIZE   TRAILER   MEMBERS
9d160472   6          2            13        9.2 kB       valid     one, 091bc3c398fb3c14
`,
    err: "",
    status: 0,
  });
});

Deno.test("etcd snapshot verify says when a meta page is not valid", async () => {
  const copy = snapshotDatabase.with(16, 0);
  const { err, status } = await verify(copy);
  assert.equal(status, 0);
  assert.match(err, /^FILE: page 0: its magic number is 0xed0cda00, not /);
});

Deno.test("etcd snapshot verify refuses a damaged snapshot", async () => {
  assert.deepEqual(await verify(whole.subarray(0, 5000)), {
    out: "",
    err:
      `error: Snapshot "FILE" is damaged: it is truncated: page 0 says 9 pages of 1024 bytes, there are 5000 bytes
hint: Take another snapshot
`,
    status: 1,
  });
  const { out, err, status } = await verify(whole.with(4096, 9));
  assert.deepEqual([out, status], ["", 1]);
  assert.equal(
    err,
    `error: Snapshot "FILE" is damaged: page 4: its header is that of page 9
hint: It was damaged after it left the node: copy it again, or take another snapshot
`,
  );
});
