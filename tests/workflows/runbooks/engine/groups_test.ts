import assert from "node:assert/strict";
import type { Json } from "../../../../lib/json.ts";
import type { NodeFacts } from "../../../../workflows/runbook_cel/facts.ts";
import {
  type GroupContext,
  parseCount,
  refuseUnknown,
  resolveGroup,
} from "../../../../workflows/runbooks/engine/groups.ts";
import type {
  NodeGroup,
  OrderKey,
} from "../../../../workflows/runbooks/runbook.ts";
import { node } from "../../runbook_cel/_scope.ts";

const plane = { role: "controlplane" } as const;

function etcd(leader: boolean): Partial<NodeFacts> {
  const { etcd: part } = node("any");
  return { etcd: { ...part, member: true, leader } };
}

const nodes: readonly NodeFacts[] = [
  node("cp-2", { ...plane, ...etcd(true), zone: "b", address: "10.0.0.22" }),
  node("w-10", { zone: "a", version: "v1.12.4", labels: { disk: "ssd" } }),
  node("w-2", { zone: "b", version: "v1.9.1", labels: { disk: "hdd" } }),
  node("cp-1", { ...plane, ...etcd(false), zone: "a" }),
  node("w-1", {
    zone: "b",
    version: "v1.12.4",
    labels: { disk: "ssd", rack: "r1" },
  }),
  node("w-3", { zone: "b", version: "", labels: {} }),
  node("cp-10", { ...plane, ...etcd(false), zone: "a" }),
];

const census: GroupContext = {
  nodes,
  group: (name) =>
    ({ odd: ["w-3", "w-1", "gone"], even: ["w-10", "w-2"] })[name] ?? [],
  changed: () => ["w-2", "gone"],
  holds: (where, { zone }) => where === `node.zone == '${zone}'`,
  render: (template) => template === "${{ two }}" ? 2 : template,
};

function names(group: Partial<NodeGroup>, among = census): string {
  const whole: NodeGroup = {
    except: [],
    order: [],
    at: "plan",
    place: { file: "a.yaml", line: 1, column: 1 },
    ...group,
  };
  return resolveGroup(whole, among).join(" ");
}

function workers(...order: OrderKey[]): string {
  return names({ role: "worker", order });
}

Deno.test("a group that says nothing is every node, in the order of names as people count", () => {
  assert.equal(names({}), "cp-1 cp-2 cp-10 w-1 w-2 w-3 w-10");
});

Deno.test("a group is narrowed by role, labels, condition and names", () => {
  assert.equal(names({ role: "controlplane" }), "cp-1 cp-2 cp-10");
  assert.equal(names({ labels: { disk: "ssd" } }), "cp-1 cp-2 cp-10 w-1 w-10");
  assert.equal(names({ labels: { disk: "ssd", rack: "r1" } }), "w-1");
  assert.equal(names({ labels: {} }), "cp-1 cp-2 cp-10 w-1 w-2 w-3 w-10");
  assert.equal(names({ where: "node.zone == 'a'" }), "cp-1 cp-10 w-10");
  assert.equal(names({ names: ["w-2", "10.0.0.22", "nobody"] }), "w-2 cp-2");
  assert.equal(names({ names: "w-2" }), "w-2");
  assert.equal(
    names({ role: "worker", where: "node.zone == 'a'", names: ["w-2"] }),
    "",
  );
});

Deno.test("a list of names keeps its order unless the group has its own", () => {
  const list = ["w-3", "10.0.0.22", "w-1", "w-3"];
  assert.equal(names({ names: list }), "w-3 cp-2 w-1");
  assert.equal(names({ names: list, take: 1 }), "w-3");
  assert.equal(names({ names: list, order: ["name"] }), "cp-2 w-1 w-3");
  assert.equal(names({ names: list, union: ["odd"] }), "w-3 w-1");
});

Deno.test("names of nodes that are not there are reported", () => {
  const refuse = (list: Json) =>
    refuseUnknown("old", {
      names: list,
      except: [],
      order: [],
      at: "plan",
      place: { file: "a.yaml", line: 1, column: 1 },
    }, census);
  assert.throws(() => refuse(["w-1", "w-9", "cp-9"]), {
    name: "ConfigError",
    message: 'Group "old": there is no node "w-9", "cp-9"',
    hint: "Nodes: cp-2, w-10, w-2, cp-1, w-1, w-3, cp-10",
  });
  assert.throws(() => refuse("10.0.0.23"), {
    message: 'Group "old": there is no node "10.0.0.23"',
  });
  refuse(["w-1", "10.0.0.22"]);
  refuse([]);
});

Deno.test("a group is made of others", () => {
  assert.equal(names({ from: "odd" }), "w-1 w-3");
  assert.equal(names({ from: "odd", labels: { rack: "r1" } }), "w-1");
  assert.equal(names({ from: "nobody" }), "");
  assert.equal(names({ role: "worker", except: ["odd"] }), "w-2 w-10");
  assert.equal(names({ role: "worker", except: ["odd", "even"] }), "");
});

Deno.test("a union keeps the order of its groups unless it has its own", () => {
  assert.equal(names({ union: ["odd", "even"] }), "w-3 w-1 w-10 w-2");
  assert.equal(names({ union: ["even", "odd", "even"] }), "w-10 w-2 w-3 w-1");
  assert.equal(
    names({ union: ["odd", "even"], order: ["name"] }),
    "w-1 w-2 w-3 w-10",
  );
});

Deno.test("workers are ordered by name, zone and version, the oldest first", () => {
  assert.equal(workers("name"), "w-1 w-2 w-3 w-10");
  assert.equal(workers("zone"), "w-10 w-1 w-2 w-3");
  // One that did not tell comes last.
  assert.equal(workers("version"), "w-2 w-1 w-10 w-3");
  assert.equal(workers("version", "zone"), "w-2 w-10 w-1 w-3");
  assert.equal(workers("zone", "version"), "w-10 w-2 w-1 w-3");
});

Deno.test("versions are compared as versions", () => {
  const some = ["v1.12.4", "v1.9.1", "", "v1.12.4-rc.1", "odd"];
  const among = {
    ...census,
    nodes: some.map((version, index) => node(`n-${index}`, { version })),
  };
  assert.equal(names({ order: ["version"] }, among), "n-1 n-3 n-0 n-2 n-4");
});

Deno.test("zones take turns", () => {
  assert.equal(workers("zoneRoundRobin"), "w-10 w-1 w-2 w-3");
  const three = {
    ...census,
    nodes: ["b", "a", "a", "c", "b", "a"].map((zone, index) =>
      node(`n-${index}`, { zone })
    ),
  };
  assert.equal(
    names({ order: ["zoneRoundRobin"] }, three),
    "n-1 n-0 n-3 n-2 n-4 n-5",
  );
});

Deno.test("the leader of etcd comes last of its group", () => {
  assert.equal(
    names({ role: "controlplane", order: ["etcdLeaderLast"] }),
    "cp-1 cp-10 cp-2",
  );
  assert.equal(
    names({ role: "controlplane", order: ["zone", "etcdLeaderLast"] }),
    "cp-1 cp-10 cp-2",
  );
});

Deno.test("the first so many are taken, shares rounded up", () => {
  const take = (value: NodeGroup["take"]) =>
    names({ role: "worker", ...(value === undefined ? {} : { take: value }) });
  assert.equal(take(undefined), "w-1 w-2 w-3 w-10");
  assert.equal(take(1), "w-1");
  assert.equal(take(0), "");
  assert.equal(take(9), "w-1 w-2 w-3 w-10");
  assert.equal(take("25%"), "w-1");
  assert.equal(take("26%"), "w-1 w-2");
  assert.equal(take("100%"), "w-1 w-2 w-3 w-10");
  assert.equal(take("${{ two }}"), "w-1 w-2");
});

Deno.test("a share is rounded as its user wants, a number is taken as it is", () => {
  const counts = (value: string | number, total: number) => [
    parseCount(value, total, "up"),
    parseCount(value, total, "down"),
  ];
  assert.deepEqual(counts(3, 10), [3, 3]);
  assert.deepEqual(counts("3", 10), [3, 3]);
  assert.deepEqual(counts("25%", 10), [3, 2]);
  assert.deepEqual(counts("0%", 10), [0, 0]);
  assert.deepEqual(counts("100%", 7), [7, 7]);
  assert.deepEqual(counts("10%", 3), [1, 0]);
  // Shares that come out even are not rounded at all.
  for (const total of [100, 200, 300, 700, 1_000, 5_000]) {
    for (let share = 1; share <= 100; share++) {
      const even = share * total / 100;
      assert.deepEqual(counts(`${share}%`, total), [even, even]);
    }
  }
});

Deno.test("changed nodes are those that are there, by name or address", () => {
  assert.equal(names({ changed: true }), "w-2");
});
