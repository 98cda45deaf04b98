import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  executable,
  namespaces,
  type Need,
  needs,
  type Program,
  root,
  tracing,
} from "../_needs.ts";
import {
  osctl,
  portable,
  portableExecutable,
  type Ran,
  run,
  start,
  withFolder,
} from "./_osctl.ts";

const short = ["version", "--client", "--short"];

function test(
  name: string,
  wanted: readonly (Need | Program)[],
  body: () => Promise<void>,
) {
  Deno.test({
    name: `executable ${name}`,
    ...needs(executable, ...wanted),
    fn: body,
  });
}

function isWell({ out, err, code }: Ran): void {
  assert.equal(err, "");
  assert.match(out, /^Client:\nosctl v\d+\.\d+\.\d+\S*\n$/);
  assert.equal(code, 0);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await Array.fromAsync(Deno.readDir(folder), (one) => one.name);
  return names.sort();
}

/** Folder the executable unpacked into. */
async function placeIn(cache: string): Promise<string> {
  const [name = "", ...others] = await namesIn(`${cache}/osctl`);
  assert.deepEqual(others, []);
  return `${cache}/osctl/${name}`;
}

/** SHA-256 of all files in a folder, as the launcher computes it of what it unpacks. */
async function digestFolder(folder: string): Promise<string> {
  const files = (await Array.fromAsync(Deno.readDir(folder)))
    .filter(({ name, isFile }) => isFile && !name.startsWith("."))
    .map(({ name }) => name).sort();
  const hash = createHash("sha256");
  for (const name of files) hash.update(`${name}\n`);
  for (const name of files) {
    hash.update(await Deno.readFile(`${folder}/${name}`));
  }
  return hash.digest("hex");
}

/** Waits for a condition; the condition's own cost is the pause. */
async function until(met: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000;
  while (!await met()) assert.ok(Date.now() < end, "it took too long");
}

for (const count of [2, 10]) {
  test(
    `serves ${count} that start at once with a cold cache`,
    [],
    async () => {
      await withFolder(async (cache) => {
        const env = { XDG_CACHE_HOME: cache, TMPDIR: cache };
        const all = Array.from({ length: count }, () => run(short, { env }));
        for (const ran of await Promise.all(all)) isWell(ran);
        if (!portable) return;
        const place = await placeIn(cache);
        const left = await namesIn(place);
        assert.deepEqual(left.filter((name) => name.startsWith(".new.")), []);
        // Nothing is missing: a chunk that is loaded later is required, too.
        const mark = await Deno.readTextFile(`${place}/.whole`);
        assert.equal(await digestFolder(place), mark.trim());
      });
    },
  );
}

for (const [signal, status] of [["SIGKILL", 137], ["SIGINT", 130]] as const) {
  test(
    `starts again after ${signal} while it unpacked`,
    [portableExecutable, "setsid"],
    async () => {
      await withFolder(async (cache) => {
        const env = { XDG_CACHE_HOME: cache, TMPDIR: cache };
        // A session of its own, so that the signal reaches all of it as from a terminal.
        const child = start(short, { env, wrapper: ["setsid"] });
        await until(async () => {
          const [name] = await namesIn(`${cache}/osctl`).catch(() => []);
          if (name === undefined) return false;
          const inside = await namesIn(`${cache}/osctl/${name}`);
          return inside.some((one) => one.startsWith(".new."));
        });
        Deno.kill(-child.pid, signal);
        const { code } = await child.output();
        assert.equal(code, status);
        const place = await placeIn(cache);
        assert.ok(!(await namesIn(place)).includes(".whole"));
        isWell(await run(short, { env }));
        const left = await namesIn(place);
        assert.deepEqual(left.filter((name) => name.startsWith(".new.")), []);
      });
    },
  );
}

test("mends a cache that was damaged", [portableExecutable], async () => {
  await withFolder(async (cache) => {
    const env = { XDG_CACHE_HOME: cache, TMPDIR: cache };
    isWell(await run(short, { env }));
    const place = await placeIn(cache);
    await Deno.truncate(`${place}/deno`);
    isWell(await run(short, { env }));
    await Deno.remove(`${place}/mod.js`);
    isWell(await run(short, { env }));
  });
});

test(
  "starts nothing but a look at the folders above and the runtime once it is unpacked",
  [portableExecutable, "strace", tracing],
  async () => {
    await withFolder(async (cache) => {
      const env = { XDG_CACHE_HOME: cache, TMPDIR: cache };
      await run(short, { env });
      const { err } = await run(short, {
        env: { ...env, PATH: Deno.env.get("PATH") ?? "" },
        wrapper: ["strace", "-f", "-e", "trace=execve"],
      });
      const started = [...err.matchAll(/execve\("([^"]+)"/g)].map(([, path]) =>
        path
      );
      const [, list = ""] = started;
      assert.match(list, /^(\/usr)?\/bin\/ls$/);
      // By a handle of the cache folder, which leads to what was checked.
      const runtime = (await placeIn(cache)).replace(cache, "/proc/self/fd/9");
      assert.deepEqual(started, [osctl, list, `${runtime}/deno`]);
    });
  },
);

test(
  "goes elsewhere when programs may not be run from the cache",
  [portableExecutable, root, namespaces.mount],
  async () => {
    await withFolder(async (folder) => {
      const [cache, temp] = [`${folder}/cache`, `${folder}/temp`];
      await Deno.mkdir(cache);
      await Deno.mkdir(temp);
      const script =
        `mount -t tmpfs -o noexec none "$1" && XDG_CACHE_HOME=$1 TMPDIR=$2 "$3" ${
          short.join(" ")
        }`;
      isWell(
        await run([], {
          wrapper: [
            "unshare",
            "--mount",
            "sh",
            "-c",
            script,
            "sh",
            cache,
            temp,
          ],
          env: { PATH: Deno.env.get("PATH") ?? "" },
        }),
      );
      assert.match((await namesIn(temp)).join(), /^osctl-[0-9a-f]{16}-0$/);
    });
  },
);
