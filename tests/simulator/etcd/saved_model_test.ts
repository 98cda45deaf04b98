import assert from "node:assert/strict";
import { putKey } from "../../../simulator/etcd/database.ts";
import { elect, newCluster } from "../../../simulator/etcd/model_cluster.ts";
import { readModel, writeModel } from "../../../simulator/etcd/saved_model.ts";

/** Two members that run and have keys. */
function cluster() {
  const members = [1n, 2n].map((id) => ({
    id,
    name: `cp-${id}`,
    peerUrl: `https://10.0.0.${id}:2380`,
  }));
  const database = putKey({ revision: 1n, history: [] }, "a", "1n");
  const made = newCluster(members, { database, version: "3.6.11" });
  made.running.add(1n).add(2n);
  elect(made);
  made.alarms = [{ memberId: 2n, alarm: "NOSPACE" }];
  made.downgrade = "3.5";
  return made;
}

Deno.test("a model is remembered, but not what ran", () => {
  const saved = cluster();
  const data = new Map([
    ["cp-1", { cluster: saved, id: 1n }],
    ["cp-2", { cluster: saved, id: 2n }],
  ]);
  const read = readModel(writeModel(data));
  const expected = { ...saved, running: new Set(), leader: 0n };
  assert.deepEqual(
    read,
    new Map([
      ["cp-1", { cluster: expected, id: 1n }],
      ["cp-2", { cluster: expected, id: 2n }],
    ]),
  );
});

Deno.test("servers of one cluster share it, others do not", () => {
  const shared = cluster();
  const read = readModel(writeModel(
    new Map([
      ["cp-1", { cluster: shared, id: 1n }],
      ["cp-2", { cluster: shared, id: 2n }],
      ["cp-3", { cluster: cluster(), id: 1n }],
    ]),
  ));
  const [one, two, three] = ["cp-1", "cp-2", "cp-3"].map((name) =>
    read.get(name)?.cluster
  );
  assert.equal(one, two);
  assert.notEqual(one, three);
});

Deno.test("an empty model is a text of its own", () => {
  const text = '{"clusters":[],"servers":[]}';
  assert.equal(writeModel(new Map()), text);
  assert.deepEqual(readModel(text), new Map());
});

Deno.test("anything else is refused", () => {
  const refused = {
    name: "ConfigError",
    message: "Cannot read the saved etcd state",
  };
  const texts = [
    "",
    "{}",
    '{"clusters":[],"servers":[{"name":"cp-1","cluster":0,"id":"1n"}]}',
  ];
  for (const text of texts) assert.throws(() => readModel(text), refused);
});
