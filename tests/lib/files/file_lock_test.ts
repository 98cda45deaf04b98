import { withFolder } from "../../_folder.ts";
import assert from "node:assert/strict";
import { withFileLock } from "../../../lib/files/file_lock.ts";
import { ConfigError, OsctlError } from "../../../errors.ts";

function test(name: string, body: (path: string) => Promise<void>): void {
  Deno.test(name, () => withFolder({}, (dir) => body(`${dir}/file`)));
}

test("actions under one lock run one after the other", async (path) => {
  let inside = 0;
  let most = 0;
  let count = 0;
  const action = async () => {
    most = Math.max(most, ++inside);
    const before = count;
    await Deno.stat(".");
    count = before + 1;
    inside--;
  };
  await Promise.all(
    Array.from(
      { length: 200 },
      () => withFileLock(path, action, { waitMs: 60_000 }),
    ),
  );
  assert.equal(most, 1);
  assert.equal(count, 200);
});

test("the result and the error of an action come back, and no file stays", async (path) => {
  assert.equal(await withFileLock(path, () => Promise.resolve(7)), 7);
  await assert.rejects(
    withFileLock(path, () => Promise.reject(new RangeError("mine"))),
    RangeError,
  );
  await assert.rejects(Deno.stat(`${path}.lock`), Deno.errors.NotFound);
});

test("a lock that is held for too long is an error that names the file", async (path) => {
  await withFileLock(path, async () => {
    await assert.rejects(
      withFileLock(path, () => Promise.resolve(), { waitMs: 20 }),
      (error) => {
        assert.equal(error instanceof OsctlError, true);
        assert.equal(
          (error as Error).message,
          `Cannot change "${path}": another process has been changing it for 0.02 s`,
        );
        return true;
      },
    );
  });
});

test("waiting for a lock can be ended", async (path) => {
  const stop = new AbortController();
  await withFileLock(path, async () => {
    const waiting = withFileLock(path, () => Promise.resolve(), {
      signal: stop.signal,
    });
    stop.abort(new RangeError("enough"));
    await assert.rejects(waiting, RangeError);
  });
});

test("a lock without a directory is an error that names the file", async (path) => {
  await assert.rejects(
    withFileLock(`${path}/none`, () => Promise.resolve()),
    (error) =>
      error instanceof ConfigError &&
      error.message.startsWith(`Cannot write "${path}/none": `),
  );
});

test("a lock creates no file through a link of another user", async (path) => {
  await Deno.symlink(`${path}.victim`, `${path}.lock`);
  await assert.rejects(
    withFileLock(path, () => Promise.resolve(), { waitMs: 0 }),
    { name: "OsctlError" },
  );
  await assert.rejects(Deno.lstat(`${path}.victim`), Deno.errors.NotFound);
});
