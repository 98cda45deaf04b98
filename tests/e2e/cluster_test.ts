import assert from "node:assert/strict";
import { executable, needs, posix } from "../_needs.ts";
import { withoutWaits } from "../_wait_notices.ts";
import { run, start, withFolder } from "./_osctl.ts";

/** A home, and osctl in it with nothing else in its environment. */
async function withOsctl(
  body: (
    osctl: (...args: readonly string[]) => ReturnType<typeof run>,
    home: string,
  ) => Promise<void>,
): Promise<void> {
  await withFolder(async (home) => {
    const env = { HOME: home, TMPDIR: home };
    const name = `e2e-${crypto.randomUUID().slice(0, 8)}`;
    const osctl = async (...args: readonly string[]) => {
      const words = args.map((word) => word === "NAME" ? name : word);
      const { err, ...ran } = await run(words, { env });
      return { ...ran, err: withoutWaits(err) };
    };
    try {
      await body(osctl, home);
    } finally {
      await osctl("cluster", "destroy", "--name", "NAME", "--force");
    }
  });
}

/** Rows of a command that was run with `-o jsonl`. */
function rows(out: string): readonly Readonly<Record<string, unknown>>[] {
  return out.trim().split("\n").map((line) => JSON.parse(line));
}

async function readServerPid(home: string): Promise<number> {
  const state = `${home}/.os/clusters`;
  for await (const { name } of Deno.readDir(state)) {
    return Number(await Deno.readTextFile(`${state}/${name}/process`));
  }
  throw new Error(`No cluster in ${state}`);
}

/** Waits for the end of a process that is ending; its parent may never ask for its status. */
async function waitForEnd(pid: number): Promise<void> {
  const end = Date.now() + 20_000;
  while (true) {
    const { stdout } = await new Deno.Command("ps", {
      args: ["-o", "stat=", "-p", `${pid}`],
    }).output();
    const state = new TextDecoder().decode(stdout).trim();
    if (state === "" || state.startsWith("Z")) return;
    assert.ok(Date.now() < end, `process ${pid} goes on: ${state}`);
  }
}

function test(name: string, body: () => Promise<void>) {
  Deno.test({
    name: `executable ${name}`,
    ...needs(executable, posix, "ps"),
    fn: body,
  });
}

test("makes a cluster, looks at it and destroys it", async () => {
  await withOsctl(async (osctl, home) => {
    const size = ["--controlplanes", "3", "--workers", "2"];
    const made = await osctl(
      "cluster",
      "create",
      "embedded",
      "--name",
      "NAME",
      ...size,
    );
    assert.equal(made.code, 0, made.err);
    const server = await readServerPid(home);

    const version = await osctl("version", "-o", "jsonl");
    assert.equal(version.err, "");
    const [client, ...nodes] = rows(version.out);
    assert.equal(client?.["node"], undefined);
    assert.equal(nodes.length, 5);

    const memory = await osctl("memory", "--nodes", "@workers");
    assert.match(memory.err, /^@workers: \S+, \S+\n$/);
    assert.equal(memory.out.trim().split("\n").length, 3);

    const gone = await osctl("cluster", "destroy", "--name", "NAME");
    assert.equal(gone.code, 0, gone.err);
    await waitForEnd(server);
    const left = await Array.fromAsync(Deno.readDir(`${home}/.os/clusters`));
    assert.deepEqual(left, []);
    assert.ok(
      !(await Deno.readTextFile(`${home}/.os/config`)).includes("e2e-"),
    );
  });
});

test("destroys a cluster whose process was killed", async () => {
  await withOsctl(async (osctl, home) => {
    await osctl("cluster", "create", "embedded", "--name", "NAME");
    Deno.kill(await readServerPid(home), "SIGKILL");
    const memory = await osctl("memory");
    assert.equal(memory.code, 1);
    assert.match(memory.err, /connection was refused/);
    const gone = await osctl("cluster", "destroy", "--name", "NAME");
    assert.equal(gone.code, 0, gone.err);
    const left = await Array.fromAsync(Deno.readDir(`${home}/.os/clusters`));
    assert.deepEqual(left, []);
  });
});

test("ends a followed log with 130, and says nothing", async () => {
  await withOsctl(async (osctl, home) => {
    await osctl("cluster", "create", "embedded", "--name", "NAME");
    const child = start(["logs", "kubelet", "--follow"], {
      env: { HOME: home, TMPDIR: home },
    });
    const reader = child.stdout.getReader();
    assert.equal((await reader.read()).done, false);
    child.kill("SIGINT");
    while (!(await reader.read()).done);
    const { code } = await child.status;
    assert.equal(await new Response(child.stderr).text(), "");
    assert.equal(code, 130);
  });
});
