import assert from "node:assert/strict";
import { findRelease } from "../../config/releases.ts";
import type { ClusterOptions } from "../../simulator/cluster/cluster.ts";
import { entries } from "../../commands/_index.ts";
import { readCommands } from "../../tools/conformance/read_commands.ts";
import { minor as wireMinor } from "../_version.ts";
import { type Wire, withWire } from "../_wire.ts";
import { pace } from "./_workers.ts";

const versions = [
  { minor: 8, types: 135, storage: "", links: false, status: [1, 1, 5] },
  { minor: 9, types: 139, storage: "", links: false, status: [1, 0, 5] },
  { minor: 10, types: 150, storage: "", links: false, status: [1, 0, 5] },
  { minor: 11, types: 157, storage: "3.6.0", links: false, status: [0, 0, 5] },
  { minor: 12, types: 161, storage: "3.6.0", links: true, status: [0, 0, 5] },
  { minor: 13, types: 167, storage: "3.6.0", links: true, status: [0, 0, 0] },
  { minor: 14, types: 196, storage: "3.7.0", links: true, status: [0, 0, 0] },
] as const;

/** Lines whose exit status tells what a version supports. */
const lines = [
  "etcd downgrade validate ETCD",
  "wipe disk vdb --yes",
  "upgrade install --to TAG --allow single-member-downtime --yes",
];

/** Lines of commands that only read, as they declare themselves; events have no end. */
const reading = [
  ...(await readCommands(
    entries.filter(({ section }) => section === undefined),
  )).filter(({ name, asks }) => name !== "events" && asks !== "none")
    .map(({ line }) => line),
  "etcd downgrade validate 3.5",
];

/** Minor version that a line needs; the others work on all nodes. */
const needed: Readonly<Record<string, number>> = {
  "etcd downgrade validate 3.5": 11,
};

/** True where every line is tried on a version, false where it is a seventh of them. */
const isMatrix = Deno.env.get("OSCTL_WIRE_VERSION") !== undefined;

/** Tries the lines that only read on a node of a version: they work, or say which version they need. */
async function readAll(
  { osctl, names: [node = ""] }: Wire,
  minor: number,
): Promise<void> {
  const tried = reading.filter((_, index) =>
    isMatrix ? minor === wireMinor : index % versions.length === minor - 8
  );
  for (const line of tried) {
    const { err, status } = await osctl(`${line} -n ${node}`);
    const least = needed[line] ?? 0;
    const isNewer = line.startsWith("etcd downgrade") && minor > 13;
    // The node is the only member of etcd.
    const isBlocked = line.startsWith("upgrade plan") && minor !== 12;
    const expected = minor < least || isNewer ? 1 : isBlocked ? 5 : 0;
    assert.equal(status, expected, `${line}: ${err}`);
    if (minor >= least) continue;
    assert.match(
      err,
      new RegExp(`: the node does not support \\w+: it needs v1\\.${least} or`),
    );
  }
}

async function readRows(
  { osctl }: Wire,
  line: string,
): Promise<readonly Record<string, unknown>[]> {
  const { out, err, status } = await osctl(`${line} -o jsonl`);
  assert.equal(status, 0, err);
  return out.trimEnd().split("\n").map((row) => JSON.parse(row));
}

for (const { minor, types, storage, links, status } of versions) {
  const { tag } = findRelease(`v1.${minor}`);
  const cluster: ClusterOptions = { release: { tag }, userDisks: 1, pace };
  Deno.test(`a node of ${tag} has the calls, types, fields and documents of its version`, async () => {
    await withWire(cluster, async (wire) => {
      const [member] = await readRows(wire, "etcd status");
      assert.equal(member?.storage, storage);
      const found = await readRows(wire, "get rd");
      assert.equal(found.length, types);
      const { out } = await wire.osctl("get links");
      assert.equal(/ ALIAS /.test(out), links);
      const config = await wire.osctl("get mc v1alpha1 -o jsonpath={.spec}");
      assert.equal(/^kind: HostnameConfig$/m.test(config.out), minor >= 12);
      await readAll(wire, minor);
      const ends = [];
      for (const line of lines) {
        const ran = await wire.osctl(
          `${
            line.replace("TAG", tag).replace("ETCD", minor < 14 ? "3.5" : "3.6")
          } -n ${wire.names[0]}`,
        );
        assert.doesNotMatch(ran.err, /unknown (method|service)/);
        ends.push(ran.status);
      }
      assert.deepEqual(ends, status);
    });
  });
}

Deno.test("an upgrade moves a node to what its version does, and the others stay as they are", async () => {
  const options = { release: { tag: "v1.11.6" }, workers: 1, pace };
  await withWire(options, async (wire) => {
    const [controlPlane = "", worker = ""] = wire.names;
    const countRows = async (node: string) =>
      (await readRows(wire, `get rd -n ${node}`)).length;
    for (const [tag, types] of [["v1.12.11", 161], ["v1.13.9", 167]] as const) {
      const ran = await wire.osctl(`upgrade --to ${tag} -n ${worker}`);
      assert.equal(ran.status, 0, ran.err);
      assert.equal(await countRows(worker), types);
    }
    assert.equal(await countRows(controlPlane), 157);
    const { err } = await wire.osctl(`reboot --mode force -n ${controlPlane}`);
    assert.match(
      err,
      /refused: --mode force needs v1\.12 or later, and the node runs v1\.11\.6/,
    );
  });
});

for (const minor of [12, 13, 14]) {
  Deno.test(`v1.${minor}: apply-config --dry-run says of each mode what the node then does`, async () => {
    const { tag } = findRelease(`v1.${minor}`);
    await withWire(
      { release: { tag }, workers: 1, pace },
      async ({ osctl, names: [, node = ""] }) => {
        const live = await osctl(
          `get machineconfig v1alpha1 -n ${node} -o jsonpath={.spec}`,
        );
        assert.equal(live.status, 0, live.err);
        const text = live.out.replace(
          "machine:\n",
          'machine:\n    sysctls:\n        vm.nr_hugepages: "1"\n',
        );
        for (const mode of ["no-reboot", "staged", "reboot"]) {
          const line = `apply-config -f - -n ${node} -m ${mode}`;
          const dry = await osctl(`${line} --dry-run`, { stdin: text });
          assert.equal(dry.status, 0, dry.err);
          const real = await osctl(`${line} --wait=false --yes`, {
            stdin: text,
          });
          const isRefused = /would be refused/.test(dry.out);
          assert.equal(isRefused, mode === "reboot" && minor >= 14, dry.out);
          assert.equal(real.status, isRefused ? 5 : 0, real.err);
        }
      },
    );
  });
}
