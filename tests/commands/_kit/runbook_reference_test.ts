import assert from "node:assert/strict";
import { entries } from "../../../commands/_index.ts";
import { makeFinders } from "../../../commands/_runbook/finders.ts";
import {
  referenceEntries,
  referenceNamed,
} from "../../../commands/_kit/runbook_reference.ts";
import { parse } from "yaml";

const all = await referenceEntries(entries);

Deno.test("every module and check has an entry, with an example that gives all it requires", () => {
  const finders = makeFinders(entries);
  const names = (kind: string) =>
    all.filter((one) => one.kind === kind).map(({ name }) => name);
  assert.deepEqual(names("module"), [...finders.modules]);
  assert.deepEqual(names("check"), [...finders.checks].toSorted());
  for (const { name, kind, example, inputs } of all) {
    if (kind !== "module" && kind !== "check") continue;
    const [step] = parse(example);
    const given = kind === "module" ? step.with : step.gate[0].with;
    assert.equal(
      step.run ?? step.gate[0].check ?? step.gate[0],
      name,
      example,
    );
    const required = inputs.filter(({ initial, name }) =>
      initial === "required" && !/[.[]/.test(name)
    );
    assert.deepEqual(
      Object.keys(given ?? {}),
      required.map(({ name }) => name),
      name,
    );
  }
});

Deno.test("nothing in the reference ends in an ellipsis, or is without a summary", () => {
  for (const { name, summary, inputs, outputs } of all) {
    for (
      const text of [
        summary,
        ...[...inputs, ...outputs].map((one) => one.summary),
      ]
    ) {
      assert.match(text, /[^….]$/, `${name}: ${text}`);
    }
  }
});

Deno.test("referenceNamed finds entries and fields of values, and suggests what is called almost that", () => {
  const [snapshot] = referenceNamed(all, "etcd.snapshot");
  assert.equal(snapshot?.kind, "module");
  assert.ok(snapshot.outputs.some(({ name }) => name === "revision"));
  const [etcd] = referenceNamed(all, "node.etcd");
  assert.ok(etcd?.outputs.some(({ name }) => name === "etcd.leader"));
  assert.deepEqual(
    referenceNamed(all, "node.etcd.leader")[0]?.outputs.map(({ type }) => type),
    ["bool"],
  );
  assert.throws(() => referenceNamed(all, "etcd.snapshoot"), {
    message: 'Runbooks have nothing named "etcd.snapshoot"',
    hint: 'Did you mean "etcd.snapshot"?',
  });
});
