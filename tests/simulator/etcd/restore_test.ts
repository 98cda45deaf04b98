import assert from "node:assert/strict";
import {
  restoreSnapshot,
  type RestoreSpec,
} from "../../../simulator/etcd/restore.ts";

/** A snapshot, and a program that does what a script says. */
async function withSpec(
  script: string,
  test: (spec: RestoreSpec, folder: string) => Promise<void>,
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

async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  return entries.map(({ name }) => name).toSorted();
}

Deno.test("a snapshot becomes the data of the only member, and is gone", async () => {
  const script = `printf '%s\\n' "$ETCDCTL_API" "$@" >said`;
  await withSpec(script, async (spec, folder) => {
    await restoreSnapshot(spec);
    const said = await Deno.readTextFile(`${folder}/said`);
    assert.deepEqual(said.trim().split("\n"), [
      "3",
      "snapshot",
      "restore",
      spec.upload,
      "--name=cp-1",
      `--data-dir=${spec.data}`,
      "--initial-cluster=cp-1=https://127.0.0.1:2380",
      "--initial-advertise-peer-urls=https://127.0.0.1:2380",
      "--skip-hash-check=true",
    ]);
    assert.deepEqual(await namesIn(folder), ["etcdutl", "said"]);
  });
});

Deno.test("a snapshot that is refused stays, and leaves no data", async () => {
  const script =
    "mkdir data\necho working >&2\necho 'Error: it is broken' >&2\nexit 1";
  await withSpec(script, async (spec, folder) => {
    await assert.rejects(restoreSnapshot(spec), {
      name: "EtcdError",
      message: "error recovering from the snapshot: it is broken",
    });
    assert.deepEqual(await namesIn(folder), ["etcdutl", "snapshot.db"]);
  });
});

Deno.test("a snapshot that is absent is not restored", async () => {
  await withSpec("touch said", async (spec, folder) => {
    await Deno.remove(spec.upload);
    await assert.rejects(restoreSnapshot(spec), {
      name: "EtcdError",
      message:
        "error verifying snapshot: stat /var/lib/etcd.snapshot: no such file or directory",
    });
    assert.deepEqual(await namesIn(folder), ["etcdutl"]);
  });
});

Deno.test("a snapshot is not restored without a program", async () => {
  await withSpec("", async (spec) => {
    await assert.rejects(restoreSnapshot({ ...spec, program: undefined }), {
      name: "EtcdError",
      message: "neither etcdutl nor etcdctl is installed",
    });
  });
});
