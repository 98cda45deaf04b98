import assert from "node:assert/strict";
import { unzipSync } from "fflate";
import { RpcError } from "../../../errors.ts";
import {
  collectSupport,
  type SupportOptions,
} from "../../../workflows/support/collect_support.ts";
import { openArchive } from "../../../workflows/support/zip_archive.ts";
import { textContent } from "../../../workflows/support/support_item.ts";
import { fakeNodes } from "../../_fake.ts";
import { withFolder } from "../../_folder.ts";
import { machineConfigurationType } from "../../../transport/node/machine_configuration.ts";
import { versionReply } from "../checks/_check_context.ts";

type Given = Pick<SupportOptions, "nodes" | "at" | "others">;

/** Collects, and reads what is in the archive. */
async function collect(given: Given, more: Partial<SupportOptions> = {}) {
  let files: ReadonlyMap<string, string> = new Map();
  await withFolder({}, async (folder) => {
    const path = `${folder}/case.zip`;
    await collectSupport({
      ...{
        path,
        now: new Date(Date.UTC(2026, 0, 2)),
        workers: 1,
        reading() {},
        about: {},
      },
      signal: new AbortController().signal,
      ...given,
      ...more,
    });
    const text = new TextDecoder();
    files = new Map(
      Object.entries(unzipSync(await Deno.readFile(path)))
        .map(([name, bytes]) => [name, text.decode(bytes)]),
    );
  });
  const { missing, interrupted } = JSON.parse(files.get("manifest.json") ?? "");
  return { files, missing, interrupted };
}

/** Begins, and never goes on. */
async function* hang() {
  yield* textContent("as far as it came\n");
  await new Promise(() => {});
}

const { nodes: none } = fakeNodes({});

Deno.test("an item that does not end is cut off after its own time, and those behind it are read", async () => {
  const items = ["a", "b"].map((path) => ({
    source: "cluster",
    path,
    read: path === "a" ? hang : () => textContent("all of it\n"),
  }));
  const others = [{ name: "all", items: () => Promise.resolve(items) }];
  const { files, missing } = await collect(
    { nodes: [], at: none.at, others },
    { itemMs: 20 },
  );
  assert.equal(files.get("a"), "as far as it came\n");
  assert.equal(files.get("b"), "all of it\n");
  assert.deepEqual(missing, [{
    source: "cluster",
    path: "a",
    reason: "incomplete: not complete after 20ms",
  }]);
});

Deno.test("an interrupt ends an item that does not end, and the archive has what came before", async () => {
  const stop = new AbortController();
  const items = [{
    source: "cluster",
    path: "a",
    read: async function* () {
      yield* textContent("as far as it came\n");
      stop.abort(new RpcError("CANCELLED", "interrupted"));
      await new Promise(() => {});
    },
  }];
  const others = [{ name: "all", items: () => Promise.resolve(items) }];
  const { files, interrupted } = await collect(
    { nodes: ["10.0.0.2"], at: none.at, others },
    { signal: stop.signal },
  );
  assert.equal(files.get("a"), "as far as it came\n");
  assert.equal(interrupted, true);
});

const silent = new RpcError("UNKNOWN", "does not answer");

/** Answers of a stream that has none. */
async function* silence() {
  yield* [];
  await Promise.reject(silent);
}

Deno.test("a call that takes too long costs its own item; a node that then does not answer is not asked the rest", async () => {
  const late = new RpcError("DEADLINE_EXCEEDED", "too late");
  for (
    const [calls, reason] of [
      [Infinity, "does not answer"],
      [2, "the node is unreachable"],
    ] as const
  ) {
    let asked = 0;
    let configurations = 0;
    const { nodes } = fakeNodes({
      c1: {
        // The first time, and for the file with the summary.
        version: () =>
          ++asked > calls ? Promise.reject(late) : versionReply("v1.12.11"),
        mounts: () => Promise.reject(late),
        diskStats: () => Promise.reject(silent),
        processes: () => Promise.reject(silent),
        get({ type }) {
          if (type === machineConfigurationType) configurations++;
          return Promise.reject(silent);
        },
        controllerRuntimeDependencies: () => Promise.reject(silent),
        read: silence,
        list: silence,
        dmesg: silence,
      },
    });
    const { files, missing } = await collect({
      ...{ nodes: ["c1"], at: nodes.at, others: [] },
    });
    assert.ok(files.has("c1/summary"));
    const reasons = new Map(
      missing.map((
        one: { readonly path: string; readonly reason: string },
      ) => [one.path, one.reason]),
    );
    assert.equal(reasons.get("c1/mounts"), "too late");
    assert.equal(reasons.get("c1/io"), reason);
    // Once for the secrets of all lists.
    assert.ok(configurations <= 1, `${configurations} readings`);
  }
});

/** Content in chunks of 1 kB, that a packer cannot make smaller. */
async function* noise(chunks: number) {
  for (let at = 0; at < chunks; at++) {
    yield crypto.getRandomValues(new Uint8Array(1000));
    await Promise.resolve();
  }
}

Deno.test("an archive that is full cuts off, leaves out what follows, and has its last file", () =>
  withFolder({}, async (folder) => {
    const path = `${folder}/case.zip`;
    const now = new Date(Date.UTC(2026, 0, 2));
    const limits = { bytes: 3_000_000, files: 3 };
    const full = new RegExp(
      "the archive is full: it holds at most 3000000 bytes and 3 files; collect fewer nodes at a time",
    );
    {
      await using archive = await openArchive(path, now, limits);
      assert.deepEqual(await archive.add("a", noise(10)), { size: 10_000 });
      const cut = await archive.add("b", noise(4_000));
      assert.match(String(cut.failure), full);
      assert.ok(cut.size > 2_900_000 && cut.size <= 3_000_000, `${cut.size}`);
      const left = await archive.add("c", noise(1));
      assert.equal(left.size, 0);
      assert.match(String(left.failure), full);
      const last = await archive.add("last", textContent("the list"), true);
      assert.deepEqual(last, { size: 8 });
      await archive.end();
    }
    const files = unzipSync(await Deno.readFile(path));
    assert.deepEqual(Object.keys(files), ["a", "b", "last"]);

    await using many = await openArchive(path, now, limits);
    const failures: unknown[] = [];
    for (const name of ["a", "b", "c", "d"]) {
      failures.push((await many.add(name, noise(1))).failure);
    }
    assert.deepEqual(failures.slice(0, 3), [undefined, undefined, undefined]);
    assert.match(String(failures[3]), full);
    await many.end();
  }));
