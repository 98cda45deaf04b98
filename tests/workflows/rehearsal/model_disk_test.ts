import assert from "node:assert/strict";
import { newDisk } from "../../../workflows/rehearsal/model_disk.ts";
import { withFolder } from "../../_folder.ts";
const bytes = (text: string) => new TextEncoder().encode(text);

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
