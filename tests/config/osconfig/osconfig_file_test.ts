import { withFolder } from "../../_folder.ts";
import assert from "node:assert/strict";
import { ConfigError } from "../../../errors.ts";
import { readOsconfig } from "../../../config/osconfig/osconfig_file.ts";

function test(name: string, body: (path: string) => Promise<void>): void {
  Deno.test(name, () => withFolder({}, (dir) => body(`${dir}/config`)));
}

function refuses(path: string, message: string): Promise<void> {
  return assert.rejects(readOsconfig(path), (error) => {
    assert.equal(error instanceof ConfigError, true);
    assert.equal((error as Error).message, message);
    return true;
  });
}

test("a file that does not exist is none, and reading makes none", async (path) => {
  assert.equal(await readOsconfig(path), undefined);
  await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
});

test("a file is read, a byte order mark is not part of it", async (path) => {
  await Deno.writeTextFile(path, "\ufeffcontext: a\n");
  assert.equal((await readOsconfig(path))?.current, "a");
});

test("a file of more than one piece is read whole", async (path) => {
  const comment = `# ${"x".repeat(300_000)}\n`;
  await Deno.writeTextFile(path, `${comment}context: a\n`);
  const config = await readOsconfig(path);
  assert.equal(config?.current, "a");
  assert.equal(config?.source?.length, 300_014);
});

test("a file above 10 MiB is refused, also one that never ends", async (path) => {
  await Deno.writeFile(path, new Uint8Array(10 * 1024 * 1024 + 1).fill(35));
  await refuses(path, `Cannot read "${path}": it is larger than 10 MiB`);
  await refuses(
    "/dev/zero",
    'Cannot read "/dev/zero": it is larger than 10 MiB',
  );
});

test("a file of exactly 10 MiB is read", async (path) => {
  await Deno.writeFile(path, new Uint8Array(10 * 1024 * 1024).fill(35));
  assert.equal((await readOsconfig(path))?.current, "");
});

test("a file that is not UTF-8 is refused", async (path) => {
  await Deno.writeFile(path, Uint8Array.of(0x61, 0xff, 0xfe, 0x62));
  await refuses(path, `Cannot read "${path}": it is not UTF-8`);
});

test("a directory is refused with its name", async (path) => {
  await Deno.mkdir(path);
  await assert.rejects(
    readOsconfig(path),
    (error) =>
      error instanceof ConfigError &&
      error.message.startsWith(`Cannot read "${path}": `),
  );
});

test("a pipe is read to its end", async (path) => {
  await new Deno.Command("mkfifo", { args: [path] }).output();
  const [config] = await Promise.all([
    readOsconfig(path),
    Deno.writeTextFile(path, "context: piped\n"),
  ]);
  assert.equal(config?.current, "piped");
});
