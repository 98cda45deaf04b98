import assert from "node:assert/strict";
import {
  checkChanges,
  type NodeChange,
  prepare,
} from "../../../commands/_configure/configuration.ts";
import { ConfigError, RefusedError } from "../../../errors.ts";

const silent = () => {};

function change(text: string, live?: string): NodeChange {
  const prepared = prepare(text, "c.yaml", silent);
  return {
    node: "a",
    live: live === undefined
      ? undefined
      : { text: live, documents: prepare(live, "live", silent).wanted },
    version: "1.12",
    platform: undefined,
    isDerived: false,
    ...prepared,
  };
}

Deno.test("prepare keeps the text as it was written", () => {
  const text = "# mine\nmachine:   {type: worker}\n";
  assert.equal(prepare(text, "c.yaml", silent).text, text);
});

Deno.test("prepare omits empty documents, and says so", () => {
  const notes: string[] = [];
  const { text, wanted } = prepare(
    "machine: {type: worker}\n---\n---\napiVersion: v1alpha1\nkind: HostnameConfig\nauto: stable\n",
    "c.yaml",
    (note) => void notes.push(note),
  );
  assert.deepEqual(notes, ["c.yaml: ignored empty documents: 2"]);
  assert.equal(wanted.length, 2);
  assert.equal(text.split("---\n").length, 2);
});

Deno.test("prepare takes nothing that says nothing", () => {
  assert.throws(() => prepare("# only this\n", "c.yaml", silent), ConfigError);
});

/** Checks with these flags. */
function checking(
  validate: "error" | "warn" | "off" = "error",
  allow: readonly string[] = [],
) {
  const { signal } = new AbortController();
  return { input: { validate, allow }, note: silent, signal };
}

Deno.test("checkChanges reads what several nodes are given once, and what is known not again", async () => {
  const one = change("machine: {type: worker}\n");
  const { text, loaded, ...facts } = one;
  assert.ok(loaded);
  const makeNode = async (known: Pick<NodeChange, "loaded">) => {
    let reads = 0;
    const changes = ["a", "b", "c"].map((node) => ({
      ...facts,
      ...known,
      node,
      get text() {
        reads += 1;
        return text;
      },
    }));
    await checkChanges(changes, checking("warn"));
    return reads;
  };
  assert.equal(await makeNode({}), 1);
  assert.equal(await makeNode({ loaded }), 0);
});

Deno.test("checkChanges names each error once, with its place", async () => {
  const wrong = change("machine: {type: worker, nonsense: 1}\n");
  await assert.rejects(
    () => checkChanges([wrong, { ...wrong, node: "b" }], checking()),
    (error) =>
      error instanceof ConfigError &&
      error.message.split("c.yaml:1:").length === 2,
  );
});

Deno.test("checkChanges leaves it to the nodes when told so", async () => {
  const wrong = change("machine: {type: worker, nonsense: 1}\n");
  const notes: string[] = [];
  await checkChanges([wrong], {
    ...checking("warn"),
    note: (note) => void notes.push(note),
  });
  assert.equal(notes.length, 1);
  assert.match(notes[0] ?? "", /^warning: c\.yaml:1:25: machine\.nonsense/);
  await checkChanges([wrong], {
    ...checking("off"),
    note: () => assert.fail(),
  });
});

Deno.test("checkChanges wants a whole configuration for nodes that have one", async () => {
  const part = "apiVersion: v1alpha1\nkind: HostnameConfig\nauto: stable\n";
  await assert.rejects(
    () => checkChanges([change(part, "machine: {}\n")], checking("off")),
    (error) =>
      error instanceof ConfigError && error.hint?.includes("osctl patch"),
  );
  await checkChanges([change(part)], checking());
});

Deno.test("checkChanges names everything that does not fit, and how to do it anyway", async () => {
  const other = change(
    "machine: {type: controlplane}\ncluster: {id: x}\n",
    "machine: {type: worker}\n",
  );
  await assert.rejects(
    () => checkChanges([other], checking("off")),
    (error) =>
      error instanceof RefusedError &&
      error.message.split("\n").length === 3 &&
      error.hint ===
        "To do it anyway: --allow role-change,cluster-change",
  );
  const allowed = checking("off", ["role-change", "cluster-change"]);
  await checkChanges([other], allowed);
});
