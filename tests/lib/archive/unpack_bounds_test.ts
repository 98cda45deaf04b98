import assert from "node:assert/strict";
import {
  unpackBounds,
  type UnpackLimits,
} from "../../../lib/archive/unpack_bounds.ts";

const mib = 1024 ** 2;
const gib = 1024 ** 3;

/** Unpacks a MiB at a time, out of so many bytes; gives how many until it was refused, and why. */
async function unpack(
  packed: number,
  wanted: number,
  limits: Partial<UnpackLimits>,
): Promise<string> {
  const bounds = unpackBounds({
    target: "there",
    maxBytes: undefined,
    fillDisk: false,
    roomIn: () => Promise.resolve({ free: 10_000 * gib, total: 10_000 * gib }),
    ...limits,
  });
  bounds.packed(packed);
  for (let done = 0; done < wanted; done += mib) {
    try {
      await bounds.unpacked(mib);
    } catch (error) {
      assert.ok(error instanceof Error && "hint" in error);
      return `${
        done / mib
      } MiB: ${error.name}: ${error.message}; ${error.hint}`;
    }
  }
  return "all of it";
}

Deno.test("an archive unpacks to as much as was said", async () => {
  assert.equal(
    await unpack(mib, 20 * mib, { maxBytes: 10 * mib }),
    "10 MiB: RefusedError: it expands to more than 10485760 bytes; " +
      "Allow more with --max-size, such as --max-size 20GiB",
  );
  assert.equal(
    await unpack(mib, 20 * mib, { maxBytes: 20 * mib }),
    "all of it",
  );
});

Deno.test("an archive that unpacks as no real file does is refused beyond one GiB, unless its size was said", async () => {
  assert.equal(
    await unpack(10 * mib, 2 * gib, {}),
    "1024 MiB: RefusedError: 10485760 bytes of the archive expand to 1074790400, more than any real file; " +
      "If this is intended, allow more with --max-size, such as --max-size 20GiB",
  );
  assert.equal(await unpack(mib, gib, {}), "all of it");
  assert.equal(await unpack(100 * mib, 8 * gib, {}), "all of it");
  assert.equal(
    await unpack(mib, 2 * gib, { maxBytes: 2 * gib }),
    "all of it",
  );
});

Deno.test("an archive does not fill the last tenth of a disk, unless it is meant", async () => {
  let free = 200 * mib;
  let written = 0;
  const roomIn = (path: string) => {
    assert.equal(path, "there");
    return Promise.resolve({ free: free - written * mib, total: 1000 * mib });
  };
  const bounds = unpackBounds({
    target: "there",
    maxBytes: undefined,
    fillDisk: false,
    roomIn,
  });
  bounds.packed(gib);
  await assert.rejects(async () => {
    for (; written < 1000; written++) await bounds.unpacked(mib);
  }, {
    name: "RefusedError",
    message: 'the disk of "there" would have less than 10% free',
    hint: "To continue anyway, pass --fill-disk",
  });
  assert.equal(written, 100);
  free = 0;
  assert.equal(await unpack(gib, mib, { roomIn }), "all of it");
  assert.match(
    await unpack(gib, 2 * mib, { roomIn }),
    /^1 MiB: .*--fill-disk$/,
  );
  assert.equal(
    await unpack(gib, 2 * gib, { roomIn, fillDisk: true }),
    "all of it",
  );
});

Deno.test("the room on the disk is that of the nearest directory that exists", async () => {
  const target = `${Deno.cwd()}/none/at/all`;
  const bounds = unpackBounds({ target, maxBytes: undefined, fillDisk: true });
  bounds.packed(mib);
  await bounds.unpacked(10 * mib);
  const looking = unpackBounds({
    target,
    maxBytes: undefined,
    fillDisk: false,
  });
  looking.packed(mib);
  await assert.rejects(async () => await looking.unpacked(2 ** 60), {
    message: /^it unpacks|^1048576 bytes/,
  });
  const disk = unpackBounds({ target, maxBytes: 2 ** 62, fillDisk: false });
  await assert.rejects(async () => await disk.unpacked(2 ** 60), {
    message: `the disk of "${target}" would have less than 10% free`,
  });
});
