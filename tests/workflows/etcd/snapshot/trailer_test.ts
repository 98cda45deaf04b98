import assert from "node:assert/strict";
import { checkTrailer } from "../../../../workflows/etcd/snapshot/trailer.ts";
import { sealed, withFile } from "./_bolt.ts";

const content = new Uint8Array(3 * 2 ** 20 + 512).map((_, at) => at * 7 & 255);

async function check(
  bytes: Uint8Array,
  signal = new AbortController().signal,
  edit: (path: string) => Promise<void> = async () => {},
) {
  return await withFile(bytes, async (path) => {
    using file = await Deno.open(path);
    await edit(path);
    return await checkTrailer({ file, path, size: bytes.length }, signal);
  });
}

Deno.test("checkTrailer takes a file whose trailer is its sum", async () => {
  assert.deepEqual(await check(await sealed(content)), { state: "valid" });
  assert.deepEqual(await check(await sealed(new Uint8Array())), {
    state: "valid",
  });
});

Deno.test("checkTrailer finds every changed byte", async () => {
  const whole = await sealed(content);
  for (
    const at of [
      0,
      2 ** 20,
      content.length - 1,
      content.length,
      whole.length - 1,
    ]
  ) {
    const changed = whole.slice();
    changed.set([(whole[at] ?? 0) ^ 1], at);
    assert.equal((await check(changed)).state, "wrong", `byte ${at}`);
  }
});

Deno.test("checkTrailer takes what comes in small pieces", async () => {
  const whole = await sealed(content);
  let next = 0;
  const file = {
    read(into: Uint8Array) {
      const piece = whole.subarray(next, next + Math.min(into.length, 70_001));
      into.set(piece);
      next += piece.length;
      return Promise.resolve(piece.length > 0 ? piece.length : null);
    },
  };
  const opened = { file, path: "db", size: whole.length };
  const { signal } = new AbortController();
  assert.deepEqual(await checkTrailer(opened, signal), { state: "valid" });
});

Deno.test("checkTrailer tells what the system says", async () => {
  using file = await Deno.open("/");
  const opened = { file, path: "db", size: 544 };
  const { signal } = new AbortController();
  await assert.rejects(checkTrailer(opened, signal), {
    name: "OsctlError",
    message: 'Cannot read "db": Is a directory (os error 21)',
  });
});

Deno.test("checkTrailer tells both sums", async () => {
  const whole = new Uint8Array(512 + 32).fill(1, 512);
  assert.deepEqual(await check(whole), {
    state: "wrong",
    said: "01".repeat(32),
    actual: "076a27c79e5ace2a3d47f9dd2e83e4ff6ea8872b3c2218f66c92b89b55f36560",
  });
});

Deno.test("checkTrailer finds none where there is no room for it", async () => {
  for (const size of [0, 31, 33, 512, 4096, 4096 + 31]) {
    assert.deepEqual(await check(new Uint8Array(size)), { state: "absent" });
  }
});

Deno.test("checkTrailer ends at the end of a file that became shorter", async () => {
  const whole = await sealed(content);
  const cut = (path: string) => Deno.truncate(path, 2 ** 20 + 5);
  assert.equal((await check(whole, undefined, cut)).state, "wrong");
});

Deno.test("checkTrailer stops when it is told to", async () => {
  const stop = new AbortController();
  stop.abort(new Error("enough"));
  await assert.rejects(check(await sealed(content), stop.signal), {
    message: "enough",
  });
});
