import { withFolder } from "../../_folder.ts";
import assert from "node:assert/strict";
import { ConfigError } from "../../../errors.ts";
import {
  readBoundedBytes,
  readBoundedText,
} from "../../../lib/files/bounded_file.ts";

function test(name: string, body: (path: string) => Promise<void>): void {
  Deno.test(name, () => withFolder({}, (dir) => body(`${dir}/file`)));
}

function bound(path: string) {
  return { path, limitMib: 1, expected: "a key" };
}

test("a file that does not exist is none", async (path) => {
  assert.equal(await readBoundedBytes(bound(path)), undefined);
  assert.equal(await readBoundedText(bound(path)), undefined);
});

test("a file of exactly its bound is read, as bytes and as text", async (path) => {
  await Deno.writeFile(path, new Uint8Array(1024 * 1024).fill(35));
  assert.equal((await readBoundedBytes(bound(path)))?.length, 1024 * 1024);
  assert.equal((await readBoundedText(bound(path)))?.at(-1), "#");
});

test("a file above its bound is refused and says what is wanted", async (path) => {
  await Deno.writeFile(path, new Uint8Array(1024 * 1024 + 1).fill(35));
  await assert.rejects(readBoundedBytes(bound(path)), (error) => {
    const { message, hint } = error as ConfigError;
    assert.equal(message, `Cannot read "${path}": it is larger than 1 MiB`);
    assert.equal(hint, "Give a key");
    return error instanceof ConfigError;
  });
});

test("bytes that are not text are refused only as text", async (path) => {
  await Deno.writeFile(path, Uint8Array.of(0xff, 0x00));
  assert.deepEqual(
    await readBoundedBytes(bound(path)),
    Uint8Array.of(0xff, 0x00),
  );
  await assert.rejects(
    readBoundedText(bound(path)),
    new ConfigError(`Cannot read "${path}": it is not UTF-8`, {
      hint: "Save it as UTF-8",
    }),
  );
});
