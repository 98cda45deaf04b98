import assert from "node:assert/strict";
import fc from "fast-check";
import { parseAllDocuments } from "yaml";
import { injectServiceAccounts } from "../../../config/inject/service_accounts.ts";
import { choices, objects, toText } from "./_manifests.ts";
import { model } from "./_model.ts";

function inject(text: string): string {
  return injectServiceAccounts(text, { file: "f", roles: ["os:reader"] }).text;
}

function values(text: string): unknown[] {
  return parseAllDocuments(text).map((document) => {
    assert.deepEqual(document.errors, []);
    return document.toJS();
  });
}

const numRuns = 100;

Deno.test("injection means what it should, however manifests are written", () => {
  fc.assert(
    fc.property(objects, choices, (objects, choices) => {
      const text = toText(objects, choices);
      assert.deepEqual(
        values(text),
        objects,
        "the generator writes what it should",
      );
      assert.deepEqual(values(inject(text)), model(objects));
    }),
    { numRuns },
  );
});

Deno.test("injection a second time changes no byte", () => {
  fc.assert(
    fc.property(objects, choices, (objects, choices) => {
      const once = inject(toText(objects, choices));
      assert.equal(inject(once), once);
    }),
    { numRuns },
  );
});

Deno.test("injection keeps every comment", () => {
  fc.assert(
    fc.property(objects, choices, (objects, choices) => {
      const text = toText(objects, choices);
      const comments = (text: string) => text.match(/#c\d+/g)?.sort() ?? [];
      assert.deepEqual(comments(inject(text)), comments(text));
    }),
    { numRuns },
  );
});
