import assert from "node:assert/strict";
import { newDisk } from "../../../workflows/rehearsal/model_disk.ts";
import type { JournalStore } from "../../../workflows/runbooks/journal/writer.ts";
import { withFolder } from "../../_folder.ts";

const same = (store: JournalStore) => store;
const now = () => new Date("2026-03-01T12:00:00Z");
const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("a journal continues where the process before has left it, and a copy continues by itself", async () => {
  await withFolder({}, async (folder) => {
    const disk = await newDisk(folder);
    const first = await disk.open(same, now);
    await first.journal.append({ type: "run.start", data: {} });
    await first.journal.append({
      type: "decide",
      path: "pick",
      data: { value: 1 },
    });
    const { history, journal } = await disk.open(same, now);
    assert.equal(history.decisions.get("pick"), 1);
    const copy = disk.copy();
    await journal.append({ type: "run.resume", data: { entry: 2 } });
    assert.equal(disk.length(), 3);
    assert.equal(copy.length(), 2);
    const records = await disk.records();
    assert.deepEqual(records.map(({ seq, type }) => `${seq} ${type}`), [
      "1 run.start",
      "2 decide",
      "3 run.resume",
    ]);
    assert.equal(disk.journalText().split("\n").length, 4);
    assert.match(disk.journalText(), /^\{"seq":1,/);
  });
});

Deno.test("secrets are kept by name, and never changed", async () => {
  await withFolder({}, async (folder) => {
    const disk = await newDisk(folder);
    const { vault } = disk;
    const handle = await vault.put("ca/key", bytes("a secret"), "aa");
    assert.deepEqual(handle, { secret: "ca/key", fingerprint: "aa" });
    assert.deepEqual(
      await vault.put("ca/key", bytes("a secret"), "aa"),
      handle,
    );
    assert.deepEqual(await vault.put("other", bytes("b")), { secret: "other" });
    assert.throws(() => vault.put("ca/key", bytes("another")), {
      message: 'Secret "ca/key" has another value',
    });
    assert.deepEqual(vault.names(), ["ca/key", "other"]);
    assert.equal(vault.find("none"), undefined);
    assert.deepEqual(await vault.read(handle), bytes("a secret"));
    assert.throws(() => vault.read({ secret: "none" }), {
      message: 'There is no secret "none"',
    });
    assert.deepEqual(disk.secrets(), [bytes("a secret"), bytes("b")]);
    assert.deepEqual(disk.copy().vault.names(), ["ca/key", "other"]);
  });
});

Deno.test("files the run has made are listed and read, those in folders as well", async () => {
  await withFolder({}, async (folder) => {
    const disk = await newDisk(folder);
    assert.deepEqual(await disk.files(), []);
    await Deno.mkdir(`${folder}/artifacts/b`);
    await Deno.writeTextFile(`${folder}/artifacts/b/c`, "deep");
    await Deno.writeTextFile(`${folder}/artifacts/a`, "flat");
    const paths = [`${folder}/artifacts/a`, `${folder}/artifacts/b/c`];
    assert.deepEqual(await disk.files(), paths);
    assert.deepEqual(await disk.contents(), [
      { path: paths[0], bytes: bytes("flat") },
      { path: paths[1], bytes: bytes("deep") },
    ]);
  });
});
