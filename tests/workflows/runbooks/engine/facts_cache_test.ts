import assert from "node:assert/strict";
import { OsctlError } from "../../../../errors.ts";
import { cacheFacts } from "../../../../workflows/runbooks/engine/facts_cache.ts";
import type { NodeFacts } from "../../../../workflows/runbook_cel/facts.ts";
import type { Facts } from "../../../../workflows/runbooks/read_facts.ts";
import { node } from "../../runbook_cel/_scope.ts";

/** A question that the cluster has not answered yet. */
interface Question {
  /** Names of the nodes it is about; `all` for all there are. */
  readonly about: string;
  /** Answers as things were when it was asked. */
  readonly answer: () => Promise<void>;
  /** Does not answer. */
  readonly fail: (error: Error) => void;
}

/** Facts of cp-1, cp-2, w-1 and w-2 at second 0; the version of a node is the second it was read at. */
function createCache() {
  let second = 0;
  const questions: Question[] = [];
  const members = ["cp-1", "cp-2", "w-1", "w-2"];
  const seen = (name: string): NodeFacts =>
    node(name, {
      role: name.startsWith("cp") ? "controlplane" : "worker",
      address: `10.0.0.${members.indexOf(name)}`,
      version: `v1.0.${second}`,
    });
  const read = (): Facts => ({
    cluster: { id: "c1", name: "lab", endpoint: "", versions: [] },
    nodes: members.map(seen),
    readAt: second * 1_000,
  });
  function asked<T>(about: string, value: T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    questions.push({
      about,
      fail: reject,
      async answer() {
        resolve(value);
        // Lets those continue who waited for it.
        await new Promise((go) => setTimeout(go));
      },
    });
    return promise;
  }
  const cache = cacheFacts(
    {
      readFacts: () => asked("all", read()),
      readAgain: (nodes) => {
        const names = nodes.map(({ name }) => name);
        return asked(names.join(" "), names.map(seen));
      },
    },
    { now: () => second * 1_000, sleep: () => Promise.resolve() },
    read(),
  );
  return {
    ...cache,
    questions,
    members,
    pass: (seconds: number) => void (second += seconds),
  };
}

/** Seconds at which nodes were read. */
async function at(facts: Facts | Promise<Facts>): Promise<string> {
  const { nodes } = await facts;
  return nodes.map(({ name, version }) => `${name}:${version.slice(5)}`)
    .join(" ");
}

const first = "cp-1:0 cp-2:0 w-1:0 w-2:0";

Deno.test("facts of the last 15 s are taken as they are", async () => {
  const { recent, pass, questions } = createCache();
  pass(15);
  assert.equal(await at(recent()), first);
  assert.equal(await at(recent(["w-1"])), first);
  assert.equal(questions.length, 0);
});

Deno.test("older ones are read again, once for all who ask", async () => {
  const { recent, last, pass, questions } = createCache();
  pass(16);
  const asked = [recent(), recent()];
  assert.equal(await at(last()), first);
  assert.deepEqual(questions.map(({ about }) => about), ["all"]);
  await questions[0]?.answer();
  const later = "cp-1:16 cp-2:16 w-1:16 w-2:16";
  assert.deepEqual(await Promise.all(asked.map(at)), [later, later]);
  assert.equal(await at(last()), later);
  assert.equal((await recent()).readAt, 16_000);
  assert.equal(questions.length, 1);
});

Deno.test("facts cache: reading some nodes waits for those only", async () => {
  const { recent, pass, questions } = createCache();
  pass(16);
  const some = recent(["w-1", "10.0.0.1", "nobody"]);
  assert.deepEqual(questions.map(({ about }) => about), ["cp-2 w-1"]);
  await questions[0]?.answer();
  assert.equal(await at(some), "cp-1:0 cp-2:16 w-1:16 w-2:0");
  assert.deepEqual((await some).cluster.versions, ["v1.0.0", "v1.0.16"]);
  assert.equal(await at(recent(["w-1"])), await at(some));
  assert.equal(questions.length, 1);
});

Deno.test("a node that is being read is read once", async () => {
  const { recent, pass, questions } = createCache();
  pass(16);
  const one = recent(["w-1"]);
  const two = recent(["w-1", "w-2"]);
  assert.deepEqual(questions.map(({ about }) => about), ["w-1", "w-2"]);
  await questions[1]?.answer();
  await questions[0]?.answer();
  assert.equal(await at(two), "cp-1:0 cp-2:0 w-1:16 w-2:16");
  assert.equal(await at(one), await at(two));
});

Deno.test("a worker that was changed is read again alone", async () => {
  const { recent, forget, pass, questions } = createCache();
  pass(5);
  forget("w-2");
  assert.equal(await at(recent(["w-1"])), first);
  const asked = recent();
  assert.deepEqual(questions.map(({ about }) => about), ["w-2"]);
  await questions[0]?.answer();
  assert.equal(await at(asked), "cp-1:0 cp-2:0 w-1:0 w-2:5");
  assert.equal(await at(recent()), await at(asked));
  assert.equal(questions.length, 1);
});

Deno.test("facts cache: a change to a control plane invalidates the facts of all control planes", async () => {
  for (const named of ["cp-2", "10.0.0.1"]) {
    const { recent, forget, questions } = createCache();
    forget(named);
    recent();
    assert.deepEqual(questions.map(({ about }) => about), ["cp-1 cp-2"]);
    await questions[0]?.answer();
  }
});

Deno.test("facts cache: a change to the cluster or an unknown node invalidates all facts", async () => {
  for (const named of [undefined, "new"]) {
    const { recent, forget, questions } = createCache();
    forget(named);
    recent();
    assert.deepEqual(
      questions.map(({ about }) => about),
      ["cp-1 cp-2 w-1 w-2"],
    );
    await questions[0]?.answer();
  }
});

Deno.test("facts cache: a read that overlaps a change is not reused", async () => {
  const { recent, forget, pass, questions } = createCache();
  forget("w-1");
  const before = recent(["w-1"]);
  pass(5);
  forget("w-1");
  const after = recent(["w-1"]);
  await questions[0]?.answer();
  assert.deepEqual(questions.map(({ about }) => about), ["w-1", "w-1"]);
  pass(1);
  await questions[1]?.answer();
  assert.equal(await at(after), "cp-1:0 cp-2:0 w-1:5 w-2:0");
  assert.equal(await at(before), await at(after));
});

Deno.test("facts cache: a read of all nodes that overlaps a change is not reused", async () => {
  const { recent, forget, pass, questions } = createCache();
  pass(16);
  const before = recent();
  pass(5);
  forget("w-1");
  const after = recent();
  await questions[0]?.answer();
  assert.deepEqual(questions.map(({ about }) => about), ["all", "w-1"]);
  await questions[1]?.answer();
  const expected = "cp-1:16 cp-2:16 w-1:21 w-2:16";
  assert.deepEqual([await at(before), await at(after)], [expected, expected]);
});

Deno.test("a cluster that takes longer to answer than facts last is asked once", async () => {
  const { recent, pass, questions } = createCache();
  pass(16);
  const asked = recent();
  pass(30);
  await questions[0]?.answer();
  assert.equal(await at(asked), "cp-1:16 cp-2:16 w-1:16 w-2:16");
  assert.equal(questions.length, 1);
});

Deno.test("facts cache: a read of all nodes finds those that joined or left", async () => {
  const { recent, last, members, pass, questions } = createCache();
  members.splice(0, 4, "cp-1", "cp-2", "w-1", "w-3");
  pass(16);
  const asked = recent();
  await questions[0]?.answer();
  await asked;
  assert.equal(await at(last()), "cp-1:16 cp-2:16 w-1:16 w-3:16");
});

Deno.test("after a read that failed the old facts are still old", async () => {
  const gone = new OsctlError("Nobody answers");
  const { recent, last, forget, pass, questions } = createCache();
  pass(5);
  forget("w-1");
  const failed = assert.rejects(recent(), gone);
  questions[0]?.fail(gone);
  await failed;
  assert.equal(await at(last()), first);
  const asked = recent();
  assert.equal(questions[1]?.about, "w-1");
  await questions[1]?.answer();
  assert.equal(await at(asked), "cp-1:0 cp-2:0 w-1:5 w-2:0");
  pass(16);
  const all = assert.rejects(recent(), gone);
  questions[2]?.fail(gone);
  await all;
  recent();
  assert.equal(questions[3]?.about, "all");
  await questions[3]?.answer();
});
