import assert from "node:assert/strict";
import { entries } from "../../commands/_index.ts";
import { allInputs, loadNamed } from "../../commands/_kit/main.ts";
import { CancelledError } from "../../errors.ts";
import { setFault } from "../../simulator/faults/set_fault.ts";
import { withWire } from "../_wire.ts";

/** Command lines that ask every selected node, by command. */
const asking: Readonly<Record<string, string>> = {
  containers: "containers",
  dmesg: "dmesg",
  events: "events --tail 1",
  get: "get hostname",
  "image list": "image list",
  list: "list /etc",
  logs: "logs machined --tail 1",
  memory: "memory",
  mounts: "mounts",
  processes: "processes",
  service: "service",
  time: "time",
  "upgrade plan": "upgrade plan",
  version: "version",
};

/** Command lines that change every selected node, by command; the nodes are added. */
const changing: Readonly<Record<string, string>> = {
  "image pull": "image pull registry.k8s.io/pause:3.10",
  "meta delete": "meta delete 0x0c",
  "meta write": "meta write 0x0b hello",
  reboot: "reboot --allow single-member-downtime",
  reset:
    "reset --yes --reboot --graceful=false --system-labels-to-wipe META --allow etcd-quorum",
  shutdown: "shutdown --yes --allow single-member-downtime",
  upgrade: "upgrade --to v1.12.12 --allow single-member-downtime",
  "wipe disk": "wipe disk vdb --yes",
};

/** Commands for one node, and those that need none. */
const others = [
  "apply-config",
  "edit",
  "patch",
  "copy",
  "read",
  "doctor",
  "doctor connect",
  "image default",
  "image os-bundle",
  "kubeconfig",
  // Members that are down have tests of their own: tests/commands/etcd.
  "bootstrap",
  "etcd assess",
  "etcd alarm disarm",
  "etcd alarm list",
  "etcd defrag",
  "etcd downgrade cancel",
  "etcd downgrade enable",
  "etcd downgrade validate",
  "etcd forfeit-leadership",
  "etcd leave",
  "etcd members",
  "etcd remove-member",
  "etcd snapshot",
  "etcd snapshot verify",
  "etcd status",
  // Looks at the cluster as a whole, with nodes that are down: tests/wire/health_test.ts.
  "health",
  "operation list",
  "operation resume",
  // No container runs on all nodes that could be restarted without the way to them.
  "restart",
  // Nodes that are down are closed and emptied as well: tests/wire/node_test.ts.
  "node cordon",
  "node drain",
  "node uncordon",
  // These need what an upgrade leaves behind, or nodes of a newer release.
  "rollback",
  "upgrade install",
];

Deno.test("every command for many nodes is in the table of those tested with one node down", () => {
  const known = entries.filter(({ section, group, hidden }) =>
    section === undefined && !group && !hidden
  ).map(({ name }) => name);
  assert.deepEqual(
    known.filter((name) => !others.includes(name)),
    [...Object.keys(asking), ...Object.keys(changing)].toSorted(),
  );
});

for (const [name, line] of Object.entries(asking)) {
  Deno.test(`${name} shows two nodes when the third is down, and ends with 3`, async () => {
    await withWire(
      { controlplanes: 1, workers: 2 },
      async ({ osctl, cluster, names }) => {
        const [first = "", second = "", third = ""] = names;
        const [, , down] = cluster.nodes;
        assert.ok(down);
        await setFault(down, "unavailable");
        const stop = new AbortController();
        const ran = await osctl(`${line} -o jsonl`, {
          signal: stop.signal,
          onWrite(out) {
            // A stream of events has no end, so it is ended when both have sent one.
            const all = out.includes(`"${first}"`) &&
              out.includes(`"${second}"`);
            if (name === "events" && all) stop.abort(new CancelledError());
          },
        });
        const rows = ran.out.trim().split("\n").map((row) => JSON.parse(row));
        const answered = new Set(
          rows.filter(({ node, error }) => node && !error).map(({ node }) =>
            node
          ),
        );
        assert.deepEqual([...answered].sort(), [first, second], ran.err);
        if (name === "events") return assert.equal(ran.status, 130, ran.err);
        assert.deepEqual(
          rows.filter(({ error }) => error).map((
            { node, error },
          ) => [node, error.code]),
          [[third, "UNAVAILABLE"]],
        );
        assert.equal(ran.status, 3);
        assert.match(ran.err, new RegExp(`^error: ${third}: `, "m"));
      },
    );
  });
}

for (const [name, line] of Object.entries(changing)) {
  Deno.test(`${name} ends well on two nodes when the third is down, and ends with 3`, async () => {
    await withWire(
      { controlplanes: 1, workers: 2, userDisks: 1 },
      async ({ osctl, cluster, names }) => {
        const [, , third = ""] = names;
        const [, , down] = cluster.nodes;
        assert.ok(down);
        await setFault(down, "unavailable");
        const ran = await osctl(`${line} --nodes ${names.join()} -o jsonl`);
        const rows = ran.out.trim().split("\n").map((row) => JSON.parse(row));
        assert.deepEqual(
          rows.map(({ node, outcome, error }) => [node, outcome ?? error.code])
            .map(([node, end]) => [node, end === "unchanged" ? "done" : end])
            .toSorted(),
          names.map((node) => [node, node === third ? "failed" : "done"]),
          ran.err,
        );
        assert.equal(ran.status, 3);
        assert.match(ran.err, new RegExp(`^error: ${third}: failed: `, "m"));
      },
    );
  });
}

Deno.test("every command has a format for programs", async () => {
  for (const name of Object.keys({ ...asking, ...changing })) {
    const command = (await loadNamed(entries, name))?.command;
    assert.ok(command && "output" in allInputs(command), name);
  }
});
