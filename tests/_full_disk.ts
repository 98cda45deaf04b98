/** Disks that are full; only root may mount them. */

import assert from "node:assert/strict";

/** A small disk. */
export interface Disk {
  readonly path: string;
  /** Takes all its room, but for so many pages of 4 KiB. */
  readonly fill: (left?: number) => Promise<void>;
  readonly clear: () => Promise<void>;
}

/** Mounts a disk of 1 MiB in a folder, and removes it afterwards. */
export async function withDisk(
  path: string,
  test: (disk: Disk) => Promise<void>,
): Promise<void> {
  const filler = `${path}/filler`;
  await must("mount", "-t", "tmpfs", "-o", "size=1m", "none", path);
  try {
    await test({
      path,
      async fill(left = 0) {
        using file = await Deno.open(filler, { create: true, append: true });
        const page = new Uint8Array(pageBytes);
        await assert.rejects(async () => {
          while (true) await file.write(page);
        }, /No space left/);
        const { size } = await file.stat();
        await file.truncate(size - left * pageBytes);
      },
      clear: () => Deno.remove(filler),
    });
  } finally {
    await must("umount", "--lazy", path);
  }
}

const pageBytes = 4096;

/** Runs a program that has to succeed. */
async function must(program: string, ...args: readonly string[]) {
  const { success, stderr } = await new Deno.Command(program, {
    args: [...args],
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}
