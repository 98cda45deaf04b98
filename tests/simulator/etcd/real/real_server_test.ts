import assert from "node:assert/strict";
import { EtcdError } from "../../../../simulator/etcd/etcd_error.ts";
import { testReal } from "../_real.ts";
import {
  type EtcdProcess,
  startProcess,
} from "../../../../simulator/etcd/real/etcd_process.ts";
import { restoreSnapshot } from "../../../../simulator/etcd/real/program.ts";

testReal(
  "a server runs until it is stopped, and keeps its data until they are wiped",
  async ({ server, start }) => {
    assert.deepEqual([server.isRunning(), await server.hasData()], [
      false,
      false,
    ]);
    await assert.rejects(server.client.status(), EtcdError);
    assert.equal(server.databaseFile(), undefined);
    const run = await start();
    assert.equal(server.isRunning(), true);
    const { memberId } = await server.client.status();
    await run.stop();
    assert.equal((await run.ended).isFinal, false);
    assert.deepEqual([server.isRunning(), await server.hasData()], [
      false,
      true,
    ]);
    assert.ok((server.databaseFile()?.length ?? 0) > 4096);
    const again = await start();
    assert.equal((await server.client.status()).memberId, memberId);
    await again.kill();
    await server.wipe();
    assert.equal(await server.hasData(), false);
  },
);

testReal(
  "a snapshot becomes the data of another cluster",
  async ({ server, start }) => {
    const run = await start();
    const parts = await Array.fromAsync(server.client.snapshot());
    const { leader } = await server.client.status();
    await run.stop();
    await server.wipe();
    await server.upload(ReadableStream.from(parts));
    await server.restore("restored", { skipHashCheck: false });
    assert.equal(await server.hasData(), true);
    await start();
    const [member] = await server.client.members();
    assert.notEqual(leader, 0n);
    assert.equal((await server.client.status()).leader, member!.id);
  },
);

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

Deno.test("a process ends when the one that started it is killed", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const pipe = `${folder}/pipe`;
    await new Deno.Command("mkfifo", { args: [pipe] }).output();
    // The pipe ends when no process has it open any more.
    const spec = {
      program: "sh",
      args: ["-c", `exec 5>'${pipe}'; echo here >&5; ${serve}; exec sleep 600`],
      pidFile: `${folder}/pid`,
    };
    const source = import.meta.resolve(
      "../../../../simulator/etcd/real/etcd_process.ts",
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

/** A snapshot, and a program that does what a script says. */
async function withSpec(
  script: string,
  test: (
    spec: Parameters<typeof restoreSnapshot>[0],
    folder: string,
  ) => Promise<void>,
) {
  const folder = await Deno.makeTempDir();
  try {
    const program = `${folder}/etcdutl`;
    const text = `#!/bin/sh\ncd '${folder}'\n${script}\n`;
    await Deno.writeTextFile(program, text, { mode: 0o700 });
    const upload = `${folder}/snapshot.db`;
    await Deno.writeTextFile(upload, "");
    const spec = {
      program,
      upload,
      data: `${folder}/data`,
      name: "cp-1",
      peerUrl: "https://127.0.0.1:2380",
      skipHashCheck: true,
    };
    await test(spec, folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a snapshot is not restored without a program", async () => {
  await withSpec("", async (spec) => {
    await assert.rejects(restoreSnapshot({ ...spec, program: undefined }), {
      name: "EtcdError",
      message: "neither etcdutl nor etcdctl is installed",
    });
  });
});
