import assert from "node:assert/strict";
import { snapshotMessages } from "../../../../workflows/etcd/snapshot/upload.ts";
import { withFolder } from "../../../_folder.ts";

const { signal } = new AbortController();

Deno.test("a snapshot is sent in messages of 64 KiB, whole and in order", async () => {
  await withFolder({}, async (folder) => {
    const content = crypto.getRandomValues(new Uint8Array(60_000));
    const whole = new Uint8Array([...content, ...content, ...content]);
    await Deno.writeFile(`${folder}/db`, whole);
    const messages = await Array.fromAsync(
      snapshotMessages(`${folder}/db`, signal),
    );
    assert.deepEqual(messages.map(({ bytes }) => bytes.length), [
      65_536,
      65_536,
      48_928,
    ]);
    const sent = new Uint8Array(messages.flatMap(({ bytes }) => [...bytes]));
    assert.deepEqual(sent, whole);
  });
});

Deno.test("a snapshot that is not there is named, and an interrupt ends it", async () => {
  await withFolder({ db: "x" }, async (folder) => {
    await assert.rejects(
      Array.fromAsync(snapshotMessages(`${folder}/none`, signal)),
      { name: "ConfigError" },
    );
    await assert.rejects(
      Array.fromAsync(snapshotMessages(`${folder}/db`, AbortSignal.abort())),
    );
  });
});
