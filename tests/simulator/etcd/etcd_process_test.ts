import assert from "node:assert/strict";
import {
  type EtcdProcess,
  startProcess,
} from "../../../simulator/etcd/etcd_process.ts";

/** Runs a script in place of etcd. */
async function withProcess(
  script: string,
  test: (
    process: EtcdProcess,
    lines: string[],
    pidFile: string,
  ) => Promise<void>,
) {
  const folder = await Deno.makeTempDir();
  const pidFile = `${folder}/pid`;
  const lines: string[] = [];
  const process = startProcess({
    program: "sh",
    args: ["-c", script],
    pidFile,
    log: (line) => void lines.push(line),
  });
  try {
    await test(process, lines, pidFile);
  } finally {
    await process.kill();
    await Deno.remove(folder, { recursive: true });
  }
}

const serve = `echo '{"msg":"serving peer traffic"}' >&2`;

Deno.test("a process tells its lines, and how it has ended", async () => {
  const script = "echo one >&2; printf two >&2; exit 3";
  await withProcess(script, async ({ serving, ended }, lines, pidFile) => {
    const end = { status: 3, lastLog: "two", isFinal: false };
    assert.deepEqual(await ended, end);
    await serving;
    assert.deepEqual(lines, ["one", "two"]);
    await assert.rejects(Deno.stat(pidFile), Deno.errors.NotFound);
  });
});

Deno.test("a process that serves notes its number, and is stopped in good order", async () => {
  const script = `trap 'echo bye >&2; exit 0' TERM; echo $$ >&2; ${serve}
while :; do sleep 0.05 2>/dev/null; done`;
  await withProcess(script, async (process, _, pidFile) => {
    await process.serving;
    const pid = await Deno.readTextFile(pidFile);
    await process.stop();
    const { status, lastLog } = await process.ended;
    assert.deepEqual([status, lastLog], [0, "bye"]);
    assert.match(pid, /^\d+\n$/);
  });
});

Deno.test("a process that is killed has no last word", async () => {
  await withProcess(`${serve}; exec tail -f /dev/null`, async (process) => {
    await process.serving;
    await process.kill();
    const { status, lastLog } = await process.ended;
    assert.deepEqual(
      [status, lastLog],
      [137, '{"msg":"serving peer traffic"}'],
    );
  });
});

Deno.test("a process that does not stop is killed", async () => {
  const script = `trap '' TERM; ${serve}
while :; do sleep 0.05 2>/dev/null; done`;
  await withProcess(script, async (process) => {
    await process.serving;
    await process.stop();
    assert.equal((await process.ended).status, 137);
  });
});

Deno.test("a process is not configured by variables, apart from its architecture", async () => {
  Deno.env.set("ETCD_NAME", "other");
  try {
    const script = 'echo "${ETCD_NAME-none} $ETCD_UNSUPPORTED_ARCH" >&2';
    await withProcess(script, async ({ ended }, lines) => {
      await ended;
      const { arch } = Deno.build;
      assert.deepEqual(lines, [`none ${arch === "aarch64" ? "arm64" : arch}`]);
    });
  } finally {
    Deno.env.delete("ETCD_NAME");
  }
});

Deno.test("a process ends when the one that started it is killed", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const pipe = `${folder}/pipe`;
    await new Deno.Command("mkfifo", { args: [pipe] }).output();
    // The pipe has an end when nobody has it open any more.
    const spec = {
      program: "sh",
      args: ["-c", `exec 5>'${pipe}'; echo here >&5; ${serve}; exec sleep 600`],
      pidFile: `${folder}/pid`,
    };
    const source = import.meta.resolve(
      "../../../simulator/etcd/etcd_process.ts",
    );
    const code = `import { startProcess } from ${JSON.stringify(source)};
const { serving } = startProcess({ ...${JSON.stringify(spec)}, log() {} });
await serving;
console.log("up");`;
    const written = Deno.readTextFile(pipe);
    await using parent = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-check", code],
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const output = parent.stdout.getReader();
    const { value } = await output.read();
    assert.equal(new TextDecoder().decode(value), "up\n");
    parent.kill("SIGKILL");
    await parent.status;
    assert.equal(await written, "here\n");
    await output.cancel();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
