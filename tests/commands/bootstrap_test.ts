import assert from "node:assert/strict";
import { withFolder } from "../_folder.ts";
import { type Wire, withWire } from "../_wire.ts";
import type { ClusterOptions } from "../../simulator/cluster/cluster.ts";

/** Runs a test against control planes that wait for it, or not. */
function withHome(
  options: ClusterOptions,
  test: (wire: Wire, folder: string) => Promise<void>,
): Promise<void> {
  return withFolder({}, (folder) =>
    withWire(options, (wire) => {
      const osctl: Wire["osctl"] = (line, options = {}) =>
        wire.osctl(line, {
          ...options,
          env: { OS_HOME: folder, ...options.env },
        });
      return test({ ...wire, osctl }, folder);
    }));
}

const waiting = { controlplanes: 3, bootstrapped: false };

Deno.test("bootstrap starts etcd on one control plane, the others join", async () => {
  await withHome(waiting, async ({ osctl, names, cluster }) => {
    const [first = ""] = names;
    const { out, err, status } = await osctl(`bootstrap -n ${first}`);
    assert.equal(
      out,
      `NODE       OUTCOME   REASON\n${first}   done      etcd is running\n`,
      err,
    );
    assert.equal(status, 0);
    await cluster.settled();
    const members = await osctl(`etcd members -n ${first} -o jsonl`);
    assert.equal(members.out.trimEnd().split("\n").length, 3);
  });
});

Deno.test("bootstrap of a node whose etcd is running does nothing, with status 0", async () => {
  await withHome({}, async ({ osctl, names }) => {
    const { out, status } = await osctl(`bootstrap -n ${names[0]} -o jsonl`);
    assert.deepEqual(JSON.parse(out), {
      node: names[0],
      outcome: "unchanged",
      reason: "already bootstrapped",
    });
    assert.equal(status, 0);
  });
});

Deno.test("bootstrap refuses workers, and one node of several", async () => {
  const options = { controlplanes: 1, workers: 1 };
  await withHome(options, async ({ osctl, names }) => {
    const worker = await osctl(`bootstrap -n ${names[1]}`);
    assert.match(worker.err, /refused: The node is not a control plane/);
    assert.equal(worker.status, 5);
    const both = await osctl("bootstrap");
    assert.equal(both.status, 2);
  });
});

Deno.test("bootstrap from a snapshot brings its content back", async () => {
  await withHome({}, async (old, folder) => {
    const file = `${folder}/db.snapshot`;
    const taken = await old.osctl(
      `etcd snapshot ${file} -n ${old.names[0]} -o jsonl`,
    );
    const { hash, revision, totalKeys, totalEntries } = JSON.parse(taken.out);
    assert.ok(totalKeys < totalEntries);
    const options = { controlplanes: 1, bootstrapped: false };
    await withHome(options, async ({ osctl, names }, home) => {
      const { err, status } = await osctl(
        `bootstrap -n ${names[0]} --recover-from ${file}`,
      );
      assert.match(
        err,
        new RegExp(
          `^recovering from snapshot "${file}": hash ${hash}, revision ${revision}, total keys ${totalKeys}, `,
        ),
      );
      assert.equal(status, 0);
      const again = `${home}/again.snapshot`;
      const row = JSON.parse(
        (await osctl(`etcd snapshot ${again} -n ${names[0]} -o jsonl`)).out,
      );
      assert.ok(row.revision >= revision);
    });
  });
});

Deno.test("bootstrap from a snapshot is refused where etcd is running", async () => {
  await withHome({}, async ({ osctl, names }, folder) => {
    const file = `${folder}/db.snapshot`;
    await osctl(`etcd snapshot ${file} -n ${names[0]}`);
    const { err, status } = await osctl(
      `bootstrap -n ${names[0]} --recover-from ${file}`,
    );
    assert.match(err, /refused: etcd already runs with its own data/);
    assert.equal(status, 5);
  });
});

Deno.test("bootstrap takes a copy without SHA-256 only when it is asked to skip the check", async () => {
  await withHome({}, async (old, folder) => {
    const file = `${folder}/db`;
    await old.osctl(`etcd snapshot ${file} -n ${old.names[0]}`);
    const bytes = await Deno.readFile(file);
    await Deno.writeFile(file, bytes.subarray(0, -32));
    const options = { controlplanes: 1, bootstrapped: false };
    await withHome(options, async ({ osctl, names }) => {
      const line = `bootstrap -n ${names[0]} --recover-from ${file}`;
      const { err, status } = await osctl(line);
      assert.equal(
        err,
        `error: Cannot recover from "${file}": it has no SHA-256 at its end\n` +
          "hint: If it is a copy of an etcd data directory, pass --recover-skip-hash-check\n",
      );
      assert.equal(status, 2);
      const ran = await osctl(`${line} --recover-skip-hash-check -o jsonl`);
      assert.equal(JSON.parse(ran.out).outcome, "done", ran.err);
    });
  });
});

Deno.test("bootstrap refuses a damaged snapshot before anything is sent", async () => {
  await withHome({}, async ({ osctl, names }, folder) => {
    const file = `${folder}/db.snapshot`;
    await osctl(`etcd snapshot ${file} -n ${names[0]}`);
    const bytes = await Deno.readFile(file);
    bytes[5000] = (bytes[5000] ?? 0) ^ 1;
    await Deno.writeFile(file, bytes);
    const { err, status } = await osctl(
      `bootstrap -n ${names[0]} --recover-from ${file}`,
    );
    assert.match(err, /^error: /);
    assert.equal(status, 1);
  });
});

Deno.test("bootstrap whose reply is lost ends well, and was done once", async () => {
  const options = { controlplanes: 1, bootstrapped: false };
  await withHome(options, async ({ osctl, names, cluster }) => {
    const [first = ""] = names;
    await cluster.setFault(first, "reply-lost", { method: "Bootstrap" });
    const { out, err, status } = await osctl(`bootstrap -n ${first} -o jsonl`);
    assert.equal(JSON.parse(out).outcome, "done", err);
    assert.equal(status, 0);
  });
});
