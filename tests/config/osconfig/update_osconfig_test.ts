import { withFolder } from "../../_folder.ts";
import assert from "node:assert/strict";
import { ConfigError } from "../../../errors.ts";
import type { Osconfig } from "../../../config/osconfig/osconfig.ts";
import { readOsconfig } from "../../../config/osconfig/osconfig_file.ts";
import { updateOsconfig } from "../../../config/osconfig/update_osconfig.ts";

const written = "context: a # mine\ncontexts:\n    a:\n        endpoints: []\n";
const child = new URL("../_add_context.ts", import.meta.url).pathname;

function test(name: string, body: (path: string) => Promise<void>): void {
  Deno.test(name, () => withFolder({}, (dir) => body(`${dir}/config`)));
}

function use(name: string): (config: Osconfig) => Osconfig {
  return (config) => ({ ...config, current: name });
}

async function namesBeside(path: string): Promise<string[]> {
  const dir = path.slice(0, path.lastIndexOf("/"));
  const entries = await Array.fromAsync(Deno.readDir(dir));
  return entries.map(({ name }) => name).sort();
}

function add(path: string, name: string, ...more: string[]): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", child, path, name, ...more],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

test("a change makes the file, closed to others", async (path) => {
  const { written, config } = await updateOsconfig(
    { path, writable: true },
    use("a"),
  );
  assert.equal(written, true);
  assert.equal(config.source, "context: a\ncontexts: {}\n");
  assert.equal(await Deno.readTextFile(path), "context: a\ncontexts: {}\n");
  assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
  assert.deepEqual(await namesBeside(path), ["config"]);
});

test("directories on the way are made", async (path) => {
  const deep = `${path}/x/y`;
  await updateOsconfig({ path: deep, writable: true }, use("a"));
  assert.equal((await readOsconfig(deep))?.current, "a");
});

test("a change keeps comments and leaves the content before in a backup", async (path) => {
  await Deno.writeTextFile(path, written, { mode: 0o644 });
  await updateOsconfig({ path, writable: true }, use("b"));
  assert.equal(
    await Deno.readTextFile(path),
    "context: b # mine\ncontexts:\n    a:\n        endpoints: []\n",
  );
  assert.equal(await Deno.readTextFile(`${path}.bak`), written);
  assert.equal(((await Deno.stat(`${path}.bak`)).mode ?? 0) & 0o777, 0o600);
  assert.deepEqual(await namesBeside(path), ["config", "config.bak"]);
});

test("a change can do without a backup", async (path) => {
  await Deno.writeTextFile(path, written);
  const options = { backup: false };
  await updateOsconfig({ path, writable: true }, use("b"), options);
  assert.deepEqual(await namesBeside(path), ["config"]);
});

test("no change writes nothing", async (path) => {
  await Deno.writeTextFile(path, written);
  const { ino } = await Deno.stat(path);
  for (const change of [() => undefined, use("a")]) {
    const result = await updateOsconfig({ path, writable: true }, change);
    assert.equal(result.written, false);
    assert.equal(result.config.current, "a");
  }
  assert.equal((await Deno.stat(path)).ino, ino);
  assert.deepEqual(await namesBeside(path), ["config"]);
});

test("a change that fails leaves the file as it was", async (path) => {
  await Deno.writeTextFile(path, written);
  const failing = () => Promise.reject(new RangeError("mine"));
  await assert.rejects(
    updateOsconfig({ path, writable: true }, failing),
    RangeError,
  );
  assert.equal(await Deno.readTextFile(path), written);
  assert.deepEqual(await namesBeside(path), ["config"]);
});

test("a file that is wrong is not changed", async (path) => {
  await Deno.writeTextFile(path, "contexts: 5\n");
  await assert.rejects(
    updateOsconfig({ path, writable: true }, use("a")),
    ConfigError,
  );
  assert.equal(await Deno.readTextFile(path), "contexts: 5\n");
});

test("a linked file changes where it is, and the backup is beside it", async (path) => {
  const real = `${path}.real`;
  await Deno.writeTextFile(real, written);
  await Deno.symlink(real, path);
  await updateOsconfig({ path, writable: true }, use("b"));
  assert.equal((await Deno.lstat(path)).isSymlink, true);
  assert.equal((await readOsconfig(real))?.current, "b");
  assert.equal(await Deno.readTextFile(`${real}.bak`), written);
});

test("a read-only file is refused before anything is touched", async (path) => {
  await assert.rejects(
    updateOsconfig({ path, writable: false }, use("a")),
    (error) => {
      assert.equal(error instanceof ConfigError, true);
      assert.equal(
        (error as Error).message,
        `Cannot write "${path}": it is the read-only client configuration of a service account`,
      );
      return true;
    },
  );
  assert.deepEqual(await namesBeside(path), []);
});

test("changes of one process at once all survive", async (path) => {
  const names = Array.from({ length: 25 }, (_, i) => `c${i}`);
  await Promise.all(
    names.map((name) =>
      updateOsconfig({ path, writable: true }, (config) => ({
        ...config,
        contexts: new Map([...config.contexts, [name, {
          endpoints: [],
          nodes: [],
        }]]),
        // On a busy machine all others may take longer than a user would wait.
      }), { waitMs: 300_000 })
    ),
  );
  const config = await readOsconfig(path);
  assert.deepEqual([...config?.contexts.keys() ?? []], names);
});

test("changes of several processes at once all survive", async (path) => {
  const names = ["c0", "c1", "c2", "c3", "c4", "c5"];
  const results = await Promise.all(
    names.map((name) => add(path, name).output()),
  );
  assert.deepEqual(results.map(({ code }) => code), names.map(() => 0));
  const config = await readOsconfig(path);
  assert.deepEqual([...config?.contexts.keys() ?? []], names);
  const places = Array.from(
    config?.contexts.values() ?? [],
    ({ endpoints }) => endpoints[0],
  );
  // Each process saw what all before it had written.
  assert.deepEqual(places.sort(), names.map((_, i) => `10.0.0.${i}`));
  assert.deepEqual(await namesBeside(path), ["config", "config.bak"]);
});

test("a process killed in the middle of a change blocks no other and leaves zeros", async (path) => {
  await Deno.writeTextFile(path, written);
  const holder = add(path, "never", "hold");
  const reader = holder.stdout.getReader();
  await reader.read();
  await assert.rejects(
    updateOsconfig({ path, writable: true }, use("b"), { waitMs: 50 }),
    /another process has been changing it for 0\.05 s$/,
  );
  holder.kill("SIGKILL");
  await holder.status;
  await reader.cancel();
  await updateOsconfig({ path, writable: true }, use("b"));
  assert.equal((await readOsconfig(path))?.current, "b");
  assert.deepEqual(await namesBeside(path), ["config", "config.bak"]);
});
