import assert from "node:assert/strict";
import { createDisk, isBootable } from "../../../provisioners/qemu/disks.ts";
import { withFolder } from "../../_folder.ts";
import { needs } from "../../_needs.ts";
import { command } from "./_command.ts";

const mebibyte = 1024 * 1024;

Deno.test("createDisk makes disks of whole blocks of 4 MiB, claimed at once or not", async () => {
  await withFolder({}, async (folder) => {
    const path = `${folder}/disk`;
    assert.equal(
      await createDisk({ path, size: 5 * mebibyte, isPreallocated: false }),
      8 * mebibyte,
    );
    const sparse = await Deno.stat(path);
    assert.deepEqual([sparse.size, sparse.blocks, sparse.mode! & 0o777], [
      8 * mebibyte,
      0,
      0o600,
    ]);
    await createDisk({ path, size: 5 * mebibyte, isPreallocated: true });
    assert.equal((await Deno.stat(path)).blocks! * 512, 8 * mebibyte);
  });
});

Deno.test(
  "createDisk copies images, unpacked, and refuses those that are too large",
  needs("zstd"),
  async () => {
    await withFolder({}, async (folder) => {
      const image = `${folder}/image.raw`;
      const content = new Uint8Array(3 * mebibyte);
      content.set(crypto.getRandomValues(new Uint8Array(1000)), 2 * mebibyte);
      await Deno.writeFile(image, content);
      await command(["zstd", "-q", image]);
      for (const source of [image, `${image}.zst`]) {
        const path = `${folder}/disk`;
        await createDisk(
          { path, size: 4 * mebibyte, isPreallocated: false },
          { image: source },
        );
        const copy = await Deno.readFile(path);
        assert.equal(copy.length, 4 * mebibyte);
        assert.deepEqual(copy.slice(0, content.length), content);
      }
      await Deno.writeFile(image, new Uint8Array(5 * mebibyte));
      await assert.rejects(
        createDisk({
          path: `${folder}/disk`,
          size: mebibyte,
          isPreallocated: false,
        }, { image }),
        {
          message:
            `Disk image "${image}" is larger than the disk of 4194304 bytes`,
        },
      );
      await Deno.writeTextFile(`${image}.zst`, "none");
      await assert.rejects(
        createDisk({
          path: `${folder}/disk`,
          size: mebibyte,
          isPreallocated: false,
        }, { image: `${image}.zst` }),
        {
          message:
            `Cannot unpack disk image "${image}.zst": it is not valid zstd`,
        },
      );
    });
  },
);

Deno.test("isBootable finds partitions, whatever the size of a block", async () => {
  await withFolder({}, async (folder) => {
    const path = `${folder}/disk`;
    for (const blockSize of [512, 4096]) {
      const table = new Uint8Array(mebibyte);
      table.set(new TextEncoder().encode("EFI PART"), blockSize);
      const view = new DataView(table.buffer, blockSize);
      view.setBigUint64(72, 2n, true);
      view.setUint32(80, 128, true);
      view.setUint32(84, 128, true);
      await Deno.writeFile(path, table);
      const disk = { path, driver: "virtio", blockSize } as const;
      assert.equal(await isBootable(disk), false, "no partitions");
      table[2 * blockSize + 3 * 128] = 1;
      await Deno.writeFile(path, table);
      assert.equal(await isBootable(disk), true);
      assert.equal(
        await isBootable({ ...disk, blockSize: 4608 - blockSize }),
        false,
      );
    }
    assert.equal(await isBootable(undefined), false);
  });
});
