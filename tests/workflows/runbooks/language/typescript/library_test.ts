import assert from "node:assert/strict";
import type {
  Api,
  Builder,
} from "../../../../../workflows/runbooks/language/typescript/api.d.ts";
import {
  documentText,
  makeApi,
} from "../../../../../workflows/runbooks/language/typescript/library.ts";
import { problems } from "../typing/_finders.ts";

const api: Api = makeApi();

function build(fill: (b: Builder) => void): Record<string, unknown> {
  return JSON.parse(
    documentText(api.runbook("test", { title: "A test" }, fill)),
  );
}

Deno.test("every part of a runbook becomes what a file would hold", () => {
  const document = build((b) => {
    const version = b.input.semver("version", { required: true });
    const mode = b.input.enum("mode", ["fast", "safe"], { default: "fast" });
    b.input.string("a");
    b.input.int("b", { min: 1 });
    const big = b.variable("big", api.cel`${version} == ${"v1.13.0"}`);
    const all = b.group("all", { where: api.cel`node.version != ${version}` });
    const made = b.run("see-it", "ca.generate", { kind: `for ${mode}` }, {
      timeout: "1m",
      until: { condition: "result.ok == 1", poll: "2s" },
    });
    b.gate("ok", ["cluster.health", { check: "node.ready", when: big }], {
      within: "5m",
    });
    b.approve("ask", { tag: "t", message: "Go on?" }, { title: "Asks" });
    b.assert("sure", big, "no");
    b.assert("sure-too", "true");
    const count = b.decide("how-many", api.cel`size(groups.all)`);
    b.sleep("wait", "1s", { when: api.cel`${count} > ${[1, { a: null }]}[0]` });
    const each = b.forEach("each", all, { batch: 1 }, (n) => {
      n.run("use", "ca.accept", { ca: made.get("ca") });
    }, {
      rescue: (s) => s.sleep("r", "1s"),
      always: (s) => s.sleep("w", "1s"),
      when: "true",
    });
    b.block("more", (s) => {
      s.use("u", "builtin:x", "same-named");
      s.use("v", "builtin:x", { version, list: [each.get("use")] });
      s.use("w", "builtin:x");
    });
    b.rescue((s) => s.sleep("r", "1s"));
    b.always((s) => s.sleep("w", "1s"));
    b.output("count", count);
  });
  assert.deepEqual(document, {
    apiVersion: "osctl/v1",
    kind: "Runbook",
    name: "test",
    title: "A test",
    inputs: {
      version: { type: "semver", required: true },
      mode: { type: "enum", values: ["fast", "safe"], default: "fast" },
      a: { type: "string" },
      b: { type: "int", min: 1 },
    },
    vars: { big: '${{ inputs.version == "v1.13.0" }}' },
    groups: { all: { where: "node.version != inputs.version" } },
    steps: [
      {
        id: "see-it",
        timeout: "1m",
        run: "ca.generate",
        with: { kind: "for ${{ inputs.mode }}" },
        until: { condition: "result.ok == 1", poll: "2s" },
      },
      {
        id: "ok",
        within: "5m",
        gate: [{ check: "cluster.health" }, {
          check: "node.ready",
          when: "vars.big",
        }],
      },
      { id: "ask", title: "Asks", approve: { tag: "t", message: "Go on?" } },
      { id: "sure", assert: { that: "vars.big", message: "no" } },
      { id: "sure-too", assert: { that: "true" } },
      {
        id: "how-many",
        decide: { name: "howMany", value: "${{ size(groups.all) }}" },
      },
      {
        id: "wait",
        when: 'decisions.howMany > [1, {"a": null}][0]',
        sleep: "1s",
      },
      {
        id: "each",
        when: "true",
        forEach: { nodes: "all", strategy: { batch: 1 } },
        steps: [{
          id: "use",
          run: "ca.accept",
          with: { ca: '${{ steps["see-it"].ca }}' },
        }],
        rescue: [{ id: "r", sleep: "1s" }],
        always: [{ id: "w", sleep: "1s" }],
      },
      {
        id: "more",
        block: [
          { id: "u", use: "builtin:x", pass: "same-named" },
          {
            id: "v",
            use: "builtin:x",
            with: {
              version: "${{ inputs.version }}",
              list: ["${{ steps.each.use }}"],
            },
          },
          { id: "w", use: "builtin:x" },
        ],
      },
    ],
    rescue: [{ id: "r", sleep: "1s" }],
    always: [{ id: "w", sleep: "1s" }],
    outputs: { count: "${{ decisions.howMany }}" },
  });
});

Deno.test("library: a program's runbook is loaded and checked like a file", async () => {
  const text = documentText(
    api.runbook("a", { title: "A" }, (b) => {
      const ca = b.run("make", "ca.generate", { kind: "os" }).get("ca");
      const all = b.group("all", { role: "worker" });
      b.forEach("each", all, { batch: 1 }, (n) => {
        n.run("accept", "ca.accept", { kind: "os", ca });
        n.run("wrong", "ca.accept", { kind: ca });
      });
    }),
  );
  assert.deepEqual(await problems(text), [
    'a.yaml:35:21: A secret cannot be used here, in "${{ steps.make.ca }}" (Only secret inputs accept a secret)',
  ]);
});

Deno.test("the same name twice is refused, and so is what is not a runbook", () => {
  assert.throws(
    () =>
      build((b) => {
        b.input.int("a");
        b.input.bool("a");
      }),
    new TypeError('Input "a" already exists'),
  );
  for (const wrong of [null, 1, {}, () => {}]) {
    assert.throws(
      () => documentText(wrong),
      new TypeError("The default export returns no runbook"),
    );
  }
});
