import assert from "node:assert/strict";
import { ConfigError, OsctlError } from "../../../../errors.ts";
import {
  copyVerified,
  fileBytes,
  fileHash,
  saveSnapshot,
  snapshotMessages,
  writtenAt,
} from "../../../../workflows/etcd/snapshot/snapshot_file.ts";
import { fakeNodes } from "../../../_fake.ts";
import { withCluster } from "../../../_cluster.ts";
import { withFolder } from "../../../_folder.ts";
import { testClient } from "../../../simulator/_client.ts";

const { signal } = new AbortController();

Deno.test("saveSnapshot writes what a node sends, readable only by its owner", async () => {
  await withFolder({}, async (folder) => {
    await withCluster({}, async ({ endpoints, adminIdentity: identity }) => {
      using client = testClient({ endpoint: endpoints[0]!, identity });
      const path = `${folder}/db`;
      const status = await saveSnapshot(client, path, signal);
      assert.equal(status.trailer, "valid");
      const { mode, size } = await Deno.stat(path);
      assert.equal((mode ?? 0) & 0o777, 0o600);
      assert.equal(size, status.fileSize);
    });
  });
});

Deno.test("saveSnapshot writes to no file or link that waits beside its target", async () => {
  await withFolder({ victim: "kept" }, async (folder) => {
    await Deno.symlink(`${folder}/victim`, `${folder}/db.part`);
    await withCluster({}, async ({ endpoints, adminIdentity: identity }) => {
      using client = testClient({ endpoint: endpoints[0]!, identity });
      await saveSnapshot(client, `${folder}/db`, signal);
    });
    assert.equal(await Deno.readTextFile(`${folder}/victim`), "kept");
    const entries = await Array.fromAsync(Deno.readDir(folder));
    assert.deepEqual(entries.map(({ name }) => name).sort(), [
      "db",
      "db.part",
      "victim",
    ]);
  });
});

Deno.test("saveSnapshot leaves what was there when anything else arrives", async () => {
  await withFolder({ db: "older" }, async (folder) => {
    const { nodes } = fakeNodes({
      a: {
        async *etcdSnapshot() {
          yield await Promise.resolve({ bytes: new Uint8Array(4096) });
        },
      },
    });
    const client = await nodes.at("a");
    await assert.rejects(saveSnapshot(client, `${folder}/db`, signal), {
      message: `What the node sent for "${folder}/db" is damaged: ` +
        "page 0: its magic number is 0x00000000, not 0xed0cdaed, and there is no other meta page",
    });
    assert.equal(await Deno.readTextFile(`${folder}/db`), "older");
    const names = await Array.fromAsync(Deno.readDir(folder));
    assert.deepEqual(names.map(({ name }) => name), ["db"]);
  });
});

Deno.test("saveSnapshot puts no file in the place of a folder or device", async () => {
  await withFolder({}, async (folder) => {
    await withCluster({}, async ({ endpoints, adminIdentity: identity }) => {
      using client = testClient({ endpoint: endpoints[0]!, identity });
      await Deno.mkdir(`${folder}/db`);
      await new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).output();
      for (const name of ["db", "pipe"]) {
        await assert.rejects(
          saveSnapshot(client, `${folder}/${name}`, signal),
          {
            message:
              `Cannot write "${folder}/${name}": it is not a regular file`,
          },
        );
      }
      assert.ok((await Deno.stat(`${folder}/pipe`)).isFifo);
    });
  });
});

Deno.test("a file is hashed and read piece by piece", async () => {
  await withFolder({ a: "hello" }, async (folder) => {
    const path = `${folder}/a`;
    assert.equal(
      await fileHash(path, signal),
      "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    );
    const parts: string[] = [];
    for await (const bytes of fileBytes(path, signal)) {
      parts.push(new TextDecoder().decode(bytes));
    }
    assert.deepEqual(parts, ["hello"]);
    assert.match(await writtenAt(path) ?? "", /^\d{4}-\d\d-\d\dT.*Z$/);
    await assert.rejects(() => fileHash(`${folder}/b`, signal), ConfigError);
    await assert.rejects(() => fileHash(path, AbortSignal.abort()));
  });
});

Deno.test("snapshot file: bytes after the database are zero", async () => {
  await withFolder({ a: "hello" }, async (folder) => {
    await assert.rejects(
      () =>
        copyVerified(fileBytes(`${folder}/a`, signal), `${folder}/b`, signal),
      (error) =>
        error instanceof OsctlError &&
        error.message.startsWith(
          `The copy for "${folder}/b" is damaged: `,
        ),
    );
    const names = await Array.fromAsync(Deno.readDir(folder));
    assert.deepEqual(names.map(({ name }) => name), ["a"]);
    await assert.rejects(
      () =>
        copyVerified(fileBytes(`${folder}/a`, signal), `${folder}/x/b`, signal),
      ConfigError,
    );
  });
});

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
