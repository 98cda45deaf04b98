import assert from "node:assert/strict";
import { withCluster } from "../../../_cluster.ts";
import { withFolder } from "../../../_folder.ts";
import { withRunner } from "../../_step_context.ts";
import { ConfigError, OsctlError } from "../../../../errors.ts";
import { chooseSource } from "../../../../workflows/etcd/recovery/source.ts";
import { saveSnapshot } from "../../../../workflows/etcd/snapshot/snapshot_file.ts";

const { signal } = new AbortController();

function salvage(node: string, revision: number) {
  const takenAt = "2026-01-02T03:04:05.000Z";
  return { node, file: `/x/${node}.db`, sha256: "ab", revision, takenAt };
}

Deno.test("the newest copy is taken when no snapshot is given", async () => {
  const choice = {
    given: undefined,
    artifacts: "/none",
    signal,
    candidates: [salvage("a", 5), salvage("b", 9), salvage("c", 7)],
  };
  assert.deepEqual(await chooseSource(choice), {
    file: "/x/b.db",
    sha256: "ab",
    revision: 9,
    takenAt: "2026-01-02T03:04:05.000Z",
    verified: false,
    salvaged: true,
    node: "b",
    newer: "",
  });
  await assert.rejects(
    () => chooseSource({ ...choice, candidates: [] }),
    ConfigError,
  );
});

Deno.test("a given snapshot is copied when it is whole; a newer copy is named", async () => {
  await withFolder({ "artifacts/": "" }, async (folder) => {
    const given = `${folder}/db`;
    await withCluster({}, async (cluster) => {
      await withRunner({ cluster, folder }, async ({ context }) => {
        const { client } = await context("10.5.0.2");
        await saveSnapshot(client, given, signal);
      });
    });
    const artifacts = `${folder}/artifacts`;
    const candidates = [salvage("a", 1_000_000)];
    const choice = { given, artifacts, candidates, signal };
    const source = await chooseSource(choice);
    assert.equal(source.file, `${artifacts}/source.snapshot`);
    assert.equal(source.verified, true);
    assert.equal(source.salvaged, false);
    assert.equal(source.newer, "a");
    assert.match(source.takenAt, /^\d{4}-.*Z$/);
    assert.deepEqual(
      await Deno.readFile(source.file),
      await Deno.readFile(given),
    );
    const { newer } = await chooseSource({ ...choice, candidates: [] });
    assert.equal(newer, "");
    // One bit.
    const bytes = await Deno.readFile(given);
    bytes[bytes.length - 40]! ^= 1;
    await Deno.writeFile(given, bytes);
    await assert.rejects(
      () => chooseSource(choice),
      (error) =>
        error instanceof OsctlError && /SHA-256/.test(error.message) &&
        error.hint ===
          "Start over without a snapshot to use the copy of a, revision 1000000",
    );
    await assert.rejects(
      () => chooseSource({ ...choice, candidates: [] }),
      OsctlError,
    );
    await assert.rejects(
      () => chooseSource({ ...choice, given: `${folder}/none` }),
      ConfigError,
    );
  });
});
