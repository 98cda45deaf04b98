import assert from "node:assert/strict";
import { entries } from "../../commands/_index.ts";
import { allInputs, loadNamed } from "../../commands/_kit/main.ts";
import { CancelledError } from "../../errors.ts";
import { setFault } from "../../simulator/set_fault.ts";
import { withWire } from "../_wire.ts";

/** Command lines that ask every selected node, by command. */
const asking: Readonly<Record<string, string>> = {
  containers: "containers",
  dmesg: "dmesg",
  events: "events --tail 1",
  get: "get hostname",
  list: "list /etc",
  logs: "logs machined --tail 1",
  memory: "memory",
  mounts: "mounts",
  processes: "processes",
  service: "service",
  time: "time",
  version: "version",
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
];

Deno.test("every command for many nodes is in the table of those tested with one node down", () => {
  const known = entries.filter(({ section, group, hidden }) =>
    section === "node" && !group && !hidden
  ).map(({ name }) => name);
  assert.deepEqual(
    known.filter((name) => !others.includes(name)),
    Object.keys(asking),
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

Deno.test("every command has a format for programs", async () => {
  for (const name of Object.keys(asking)) {
    const command = await loadNamed(entries, name);
    assert.ok(command && "output" in allInputs(command), name);
  }
});
