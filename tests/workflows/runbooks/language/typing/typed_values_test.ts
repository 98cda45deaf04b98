import assert from "node:assert/strict";
import {
  beginTyping,
  type ExpressionPosition,
  typeCondition,
  typeValue,
  type Typing,
} from "../../../../../workflows/runbooks/language/typing/typed_values.ts";
import { findAll } from "../../../../../workflows/runbooks/language/lookup.ts";
import { declarations, field } from "../../../runbook_cel/_scope.ts";
import { finders, load } from "./_finders.ts";

const runbook = await load(`
apiVersion: osctl/v1
kind: Runbook
name: a
title: A
steps:
  - id: outer
    block: [{ id: issue, run: etcd.assess }]
`);

async function startTyping(): Promise<Typing> {
  return beginTyping(runbook, await findAll([], finders));
}

const spot: ExpressionPosition = {
  part: { place: { file: "a", line: 3, column: 4 } },
  path: ["when"],
  names: declarations,
};

Deno.test("steps that are requested exist", async () => {
  const typing = await startTyping();
  typeCondition(typing, "reached('zzzzzz')", spot);
  typeValue(typing, ["a ${{ reached('isue') }}"], field("any"), spot);
  assert.deepEqual(
    typing.problems.map(({ message, hint }) => [message, hint]),
    [
      ['There is no step "zzzzzz"', undefined],
      ['There is no step "isue"', 'Did you mean "issue"?'],
    ],
  );
});

Deno.test("a value has a type, and its problems name the text they are in", async () => {
  const typing = await startTyping();
  const type = (value: Parameters<typeof typeValue>[1]) =>
    typeValue(typing, value, field("any"), spot).type;
  assert.equal(type(undefined), "any");
  assert.equal(type("${{ inputs.count }}"), "int");
  assert.deepEqual(typing.problems, []);
  assert.equal(type({ a: ["x", "${{ nod.name }}"] }), "object");
  assert.deepEqual(
    typing.problems.map(({ message, hint }) => [message, hint]),
    [['Unknown name "nod", in "${{ nod.name }}"', 'Did you mean "node"?']],
  );
});
