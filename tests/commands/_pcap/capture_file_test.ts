import assert from "node:assert/strict";
import { OsctlError } from "../../../errors.ts";
import { writeCapture } from "../../../commands/_pcap/capture_file.ts";
import { withFolder } from "../../_folder.ts";
import { linux, needs, posix } from "../../_needs.ts";

async function* parts(...sizes: readonly number[]) {
  for (const size of sizes) {
    await Promise.resolve();
    if (size < 0) throw new OsctlError("cut");
    yield new Uint8Array(size).fill(size);
  }
}

Deno.test("all parts are in the file, however large and however they end", async () => {
  await withFolder({}, async (folder) => {
    const file = `${folder}/x`;
    await writeCapture(parts(3, 300_000, 5, 200_000, 100_000), file);
    assert.equal((await Deno.stat(file)).size, 600_008);
    await assert.rejects(
      writeCapture(parts(3, 5, -1), file),
      new OsctlError("cut"),
    );
    assert.deepEqual(
      await Deno.readFile(file),
      Uint8Array.of(3, 3, 3, 5, 5, 5, 5, 5),
    );
  });
});

Deno.test({
  name: "a full disk ends a capture with words for it",
  ...needs(linux),
  fn: () =>
    assert.rejects(writeCapture(parts(3), "/dev/full"), {
      name: "ConfigError",
      message: 'Cannot write "/dev/full": no space left on the disk',
    }),
});

Deno.test({
  name: "a capture is not written to a named pipe, which it would wait for",
  ...needs(posix),
  fn: () =>
    withFolder({}, async (folder) => {
      const pipe = `${folder}/pipe`;
      await new Deno.Command("mkfifo", { args: [pipe] }).output();
      await assert.rejects(writeCapture(parts(1), pipe), {
        name: "ConfigError",
        message: `Cannot write "${pipe}": it is a named pipe`,
      });
    }),
});
