import assert from "node:assert/strict";
import { entries } from "../../../commands/_index.ts";
import { allInputs } from "../../../commands/_kit/main.ts";
import type { AnyInputs } from "../../../commands/_kit/parse.ts";
import { findOperation } from "../../../commands/_kit/target_nodes.ts";
import { CancelledError } from "../../../errors.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import { type Wire, withWire } from "../../_wire.ts";
import { minor, nextTag } from "../../_version.ts";

/** Changes that are tested with nodes down elsewhere, or that none of three fresh nodes can be given, and why. */
const apart: ReadonlyMap<string, string> = new Map([
  ["airgap mirror", "asks registries"],
  ["apply-config", "needs a file for each node"],
  ["conformance kubernetes", "asks the cluster, and writes what it finds"],
  ["edit", "needs an editor"],
  ["patch", "needs a configuration to change"],
  ["restart", "no container runs on all nodes that may be restarted"],
  ["rollback", "needs what an upgrade leaves behind"],
  ["wipe lv", "needs volumes on nodes of v1.14"],
  ["wipe md", "needs an array on nodes of v1.14"],
  ["wipe pv", "needs volumes on nodes of v1.14"],
  ["wipe vg", "needs volumes on nodes of v1.14"],
  ["upgrade-k8s", "runs a runbook, whose plan says which nodes are down"],
  ["upgrade install", "needs nodes of a newer release"],
  ["node cordon", "tests/wire/node_test.ts: does not ask the node"],
  ["node drain", "tests/wire/node_test.ts: does not ask the node"],
  ["node uncordon", "tests/wire/node_test.ts: does not ask the node"],
]);

/** Arguments that fit three fresh nodes where those of the examples do not. */
const fitting: Readonly<Record<string, string>> = {
  // One node at a time; a folder that is not there, so that no file is left.
  "etcd snapshot": "etcd snapshot /nowhere/db.snapshot",
  events: "events --tail 1",
  // The examples write files of this machine.
  kubeconfig: "kubeconfig -",
  "meta write": "meta write 0x0b hello",
  reset:
    "reset --reboot --graceful=false --system-labels-to-wipe META --allow etcd-quorum",
  upgrade: `upgrade --to ${nextTag} --allow single-member-downtime`,
};

interface Candidate {
  readonly name: string;
  /** Its examples without nodes and formats. */
  readonly lines: readonly string[];
  readonly inputs: AnyInputs;
  readonly changes: boolean;
}

/** Commands whose rows are data, out of the index and their declarations. */
const candidates: readonly Candidate[] = (await Promise.all(
  entries.filter(({ section, hidden }) => section === undefined && !hidden)
    .map(async ({ name, load }) => {
      const file = await load?.();
      if (file === undefined || file.change?.oneNode) return [];
      const inputs = allInputs(file.command, file);
      const lines = (file.command.examples ?? [])
        .map((line) => line.replace(/ (--nodes|-n|--output|-o) \S+/g, ""));
      const initial = Object.entries(inputs).map(([key, input]) =>
        [key, input.role === "flag" ? input.initial : undefined] as const
      );
      const changes =
        findOperation(file, Object.fromEntries(initial)) !== undefined;
      const hasRows = "output" in inputs && file.command.output !== "own";
      return hasRows ? [{ name, lines, inputs, changes }] : [];
    }),
)).flat();

/** Runs a line of `candidate` that has rows of all `names`, if one has; the others stay as they are. */
async function ask(
  { osctl }: Wire,
  { name, lines }: Candidate,
  names: readonly string[],
) {
  const known = fitting[name];
  const ends = lines.filter((line) => !/ (--watch|--follow)\b/.test(line));
  for (const line of known === undefined ? ends : [known]) {
    const stop = new AbortController();
    const ran = await osctl(`${line} -o jsonl`, {
      signal: stop.signal,
      onWrite(out) {
        // A stream of events has no end, so it is ended when each node has sent one.
        if (
          name === "events" && names.every((one) => out.includes(`"${one}"`))
        ) {
          stop.abort(new CancelledError());
        }
      },
    });
    const rows = ran.out.trim().split("\n").filter((row) => row !== "")
      .map((row) => JSON.parse(row));
    const answered = new Set(
      rows.filter(({ node, error }) => node && !error).map(({ node }) => node),
    );
    if (names.every((one) => answered.has(one))) {
      return { ...ran, rows, answered };
    }
  }
  return undefined;
}

const found: string[] = [];

for (const candidate of candidates) {
  const { name, changes } = candidate;
  if (changes || apart.has(name)) continue;
  Deno.test(`${name} shows two nodes when the third is down, and ends with 3, if it asks all of them`, async () => {
    await withWire({ controlplanes: 1, workers: 2 }, async (wire) => {
      const { cluster, names } = wire;
      if (await ask(wire, candidate, names) === undefined) return;
      found.push(name);
      const [first = "", second = "", third = ""] = names;
      const [, , down] = cluster.nodes;
      assert.ok(down);
      await setFault(down, "unavailable");
      const ran = await ask(wire, candidate, [first, second]);
      assert.ok(ran);
      assert.deepEqual([...ran.answered].sort(), [first, second], ran.err);
      if (name === "events") return assert.equal(ran.status, 130, ran.err);
      assert.deepEqual(
        ran.rows.filter(({ error }) => error).map((
          { node, error },
        ) => [node, error.code]),
        [[third, "UNAVAILABLE"]],
      );
      assert.equal(ran.status, 3);
      assert.match(ran.err, new RegExp(`^error: \\S+ \\(${third}\\): `, "m"));
    });
  });
}

Deno.test("at least 14 commands were found to ask all nodes, and 8 to change them", () => {
  assert.ok(found.length >= 14, found.join());
  assert.ok(changing.length >= 8);
});

// Members that are down have tests of their own: tests/commands/etcd.
const changing = candidates.filter(({ name, changes }) =>
  changes && !apart.has(name) && !name.startsWith("etcd ")
);

for (const { name, lines, inputs } of changing) {
  if (name === "wipe disk" && minor < 9) continue;
  const { allow } = inputs;
  const line = fitting[name] ??
    lines[0] +
      (allow?.choices === undefined ? "" : ` --allow ${allow.choices.join()}`);
  Deno.test(`${name} ends well on two nodes when the third is down, and ends with 3`, async () => {
    await withWire(
      { controlplanes: 1, workers: 2, userDisks: 1 },
      async ({ osctl, cluster, names }) => {
        const [, , third = ""] = names;
        const [, , down] = cluster.nodes;
        assert.ok(down);
        await setFault(down, "unavailable");
        const ran = await osctl(
          `${line} --yes --nodes ${names.join()} -o jsonl`,
        );
        const rows = ran.out.trim().split("\n").map((row) => JSON.parse(row));
        assert.deepEqual(
          rows.map(({ node, outcome, error }) => [node, outcome ?? error.code])
            .map(([node, end]) => [node, end === "unchanged" ? "done" : end])
            .toSorted(),
          names.map((node) => [node, node === third ? "failed" : "done"]),
          ran.err,
        );
        assert.equal(ran.status, 3);
        assert.match(
          ran.err,
          new RegExp(`^error: (?:\\S+ \\()?${third}\\)?: failed: `, "m"),
        );
      },
    );
  });
}
