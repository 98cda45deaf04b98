import assert from "node:assert/strict";
import {
  checkChanges,
  guardChanges,
  type NodeChange,
  prepare,
} from "../../../commands/_configure/apply.ts";
import { ConfigError, RefusedError } from "../../../errors.ts";

const silent = () => {};

function change(text: string, live?: string): NodeChange {
  const prepared = prepare(text, "c.yaml", silent);
  return {
    node: "a",
    live: live === undefined
      ? undefined
      : { text: live, documents: prepare(live, "live", silent).documents },
    version: "1.12",
    platform: undefined,
    wanted: prepared.documents,
    prepared,
  };
}

Deno.test("prepare keeps the text as it was written", () => {
  const text = "# mine\nmachine:   {type: worker}\n";
  assert.equal(prepare(text, "c.yaml", silent).text, text);
});

Deno.test("prepare omits empty documents, and says so", () => {
  const notes: string[] = [];
  const { text, documents } = prepare(
    "machine: {type: worker}\n---\n---\napiVersion: v1alpha1\nkind: HostnameConfig\nauto: stable\n",
    "c.yaml",
    (note) => void notes.push(note),
  );
  assert.deepEqual(notes, ["c.yaml: ignored empty documents: 2"]);
  assert.equal(documents.length, 2);
  assert.equal(text.split("---\n").length, 2);
});

Deno.test("prepare takes nothing that says nothing", () => {
  assert.throws(() => prepare("# only this\n", "c.yaml", silent), ConfigError);
});

/** What checks are made with where they have nothing to say. */
const quiet = { note: silent, signal: new AbortController().signal };

Deno.test("checkChanges reads what several nodes are given once, and what is known not again", async () => {
  const one = change("machine: {type: worker}\n");
  const { text, name, documents, loaded } = one.prepared;
  assert.ok(loaded);
  const readsOf = async (known: Pick<NodeChange["prepared"], "loaded">) => {
    let reads = 0;
    const prepared = {
      name,
      documents,
      ...known,
      get text() {
        reads += 1;
        return text;
      },
    };
    const changes = ["a", "b", "c"].map((node) => ({ ...one, node, prepared }));
    await checkChanges(changes, "warn", quiet);
    return reads;
  };
  assert.equal(await readsOf({}), 1);
  assert.equal(await readsOf({ loaded }), 0);
});

Deno.test("checkChanges names each error once, with its place", async () => {
  const wrong = change("machine: {type: worker, nonsense: 1}\n");
  await assert.rejects(
    () => checkChanges([wrong, { ...wrong, node: "b" }], "error", quiet),
    (error) =>
      error instanceof ConfigError &&
      error.message.split("c.yaml:1:").length === 2,
  );
});

Deno.test("checkChanges leaves it to the nodes when told so", async () => {
  const wrong = change("machine: {type: worker, nonsense: 1}\n");
  const notes: string[] = [];
  await checkChanges([wrong], "warn", {
    ...quiet,
    note: (note) => void notes.push(note),
  });
  assert.equal(notes.length, 1);
  assert.match(notes[0] ?? "", /^WARNING: c\.yaml:1:25: machine\.nonsense/);
  await checkChanges([wrong], "off", { ...quiet, note: () => assert.fail() });
});

Deno.test("checkChanges wants a whole configuration for nodes that have one", async () => {
  const part = "apiVersion: v1alpha1\nkind: HostnameConfig\nauto: stable\n";
  await assert.rejects(
    () => checkChanges([change(part, "machine: {}\n")], "off", quiet),
    (error) =>
      error instanceof ConfigError && error.hint?.includes("osctl patch"),
  );
  await checkChanges([change(part)], "error", quiet);
});

Deno.test("guardChanges names everything that does not fit, and how to do it anyway", () => {
  const other = change(
    "machine: {type: controlplane}\ncluster: {id: x}\n",
    "machine: {type: worker}\n",
  );
  assert.throws(
    () => guardChanges([other], []),
    (error) =>
      error instanceof RefusedError &&
      error.message.split("\n").length === 3 &&
      error.hint ===
        "To do it anyway: --allow role-change,cluster-change",
  );
  guardChanges([other], ["role-change", "cluster-change"]);
});
