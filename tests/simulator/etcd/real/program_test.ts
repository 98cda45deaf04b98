import assert from "node:assert/strict";
import { ConfigError } from "../../../../errors.ts";
import {
  findEtcd,
  requireEtcd,
} from "../../../../simulator/etcd/real/program.ts";
import { needs, posix } from "../../../_needs.ts";

/** Makes programs that say something, and gives the folder they are in. */
async function folderWith(
  said: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = await Deno.makeTempDir();
  for (const [name, text] of Object.entries(said)) {
    const script = `#!/bin/sh\necho "$*: ${text}"\n`;
    await Deno.writeTextFile(`${folder}/${name}`, script, { mode: 0o755 });
  }
  return folder;
}

/** Runs a check against programs that say something. */
function check(
  name: string,
  said: Readonly<Record<string, string>>,
  fn: (folder: string) => Promise<void>,
): void {
  Deno.test({
    name,
    ...needs(posix),
    async fn() {
      const folder = await folderWith(said);
      try {
        await fn(folder);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

check(
  "a server is found with the program beside it that restores its snapshots",
  {
    etcd: "etcd Version: 9.8.7",
    etcdutl: "etcdutl version: 9.8.7",
    etcdctl: "etcdctl version: 9.8.7",
  },
  async (folder) => {
    assert.deepEqual(await findEtcd(`${folder}/etcd`), {
      server: `${folder}/etcd`,
      version: "9.8.7",
      restorer: `${folder}/etcdutl`,
    });
  },
);

check("the restorer is one of the server's release, where there is such", {
  etcd: "etcd Version: 9.8.7",
  etcdutl: "etcdutl version: 9.9.0",
  etcdctl: "etcdctl version: 9.8.1",
}, async (folder) => {
  const found = await findEtcd(`${folder}/etcd`);
  assert.equal(found?.restorer, `${folder}/etcdctl`);
});

check("another program is no etcd, and one that is wanted has to be there", {
  etcd: "something else",
}, async (folder) => {
  assert.equal(await findEtcd(`${folder}/etcd`), undefined);
  assert.equal(await findEtcd(`${folder}/absent`), undefined);
  await assert.rejects(requireEtcd(`${folder}/etcd`), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.equal(
      error.message,
      `Cannot run "${folder}/etcd": it is not installed, or it is not etcd`,
    );
    return true;
  });
});

check("a server that is there is given by requireEtcd as well", {
  etcd: "etcd Version: 9.8.7",
}, async (folder) => {
  const { version } = await requireEtcd(`${folder}/etcd`);
  assert.equal(version, "9.8.7");
});
