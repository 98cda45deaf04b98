import assert from "node:assert/strict";
import fc from "fast-check";
import {
  describeMerge,
  type MergeConflict,
  type MergeOptions,
  mergeOsconfig,
} from "../../../config/osconfig/merge.ts";
import type {
  ClientContext,
  Osconfig,
} from "../../../config/osconfig/osconfig.ts";
import {
  parseOsconfig,
  renderOsconfig,
} from "../../../config/osconfig/osconfig_file.ts";
import { changedFields } from "../../../config/osconfig/same_context.ts";

const x: ClientContext = {
  endpoints: ["10.0.0.1"],
  nodes: [],
  ca: "WA==",
  crt: "MQ==",
  key: "MQ==",
};
const y: ClientContext = { ...x, ca: "WQ==" };

function config(
  contexts: Record<string, ClientContext>,
  current = "",
): Osconfig {
  return { current, contexts: new Map(Object.entries(contexts)) };
}

async function mergeAll(
  target: Osconfig,
  incoming: Osconfig,
  options: MergeOptions = {},
) {
  const { config, events } = await mergeOsconfig(target, incoming, options);
  return {
    current: config.current,
    contexts: Object.fromEntries(config.contexts),
    lines: events.map(describeMerge),
  };
}

Deno.test("merge updates a context of the same cluster in place and says what changed", async () => {
  const present = { ...x, nodes: ["n"], cluster: "c" };
  const renewed = { ...x, crt: "Mg==", key: "Mg==", endpoints: ["10.0.0.2"] };
  assert.deepEqual(
    await mergeAll(config({ a: present }, "a"), config({ a: renewed })),
    {
      current: "a",
      contexts: {
        a: {
          endpoints: ["10.0.0.2"],
          nodes: ["n"],
          ca: "WA==",
          crt: "Mg==",
          key: "Mg==",
          auth: undefined,
          cluster: "c",
          proxyUrl: undefined,
          others: undefined,
        },
      },
      lines: ['updated osconfig context "a": endpoints, crt, key'],
    },
  );
});

Deno.test("merge never puts a certificate beside the key of another one", async () => {
  const half = { ...x, crt: "Mg==", key: undefined };
  const { contexts } = await mergeAll(config({ a: x }), config({ a: half }));
  assert.equal(contexts.a?.crt, "Mg==");
  assert.equal(contexts.a?.key, undefined);
});

Deno.test("merge asks about conflicts only, one after the other", async () => {
  const asked: MergeConflict[] = [];
  const { lines } = await mergeAll(
    config({ a: x, b: x, c: x }),
    config({ a: y, b: y, c: x, d: y }),
    {
      onConflict: (conflict) => {
        asked.push(conflict);
        return Promise.resolve(conflict.name === "a" ? "skip" : "overwrite");
      },
    },
  );
  assert.deepEqual(asked, [
    { name: "a", present: x, incoming: y },
    { name: "b", present: x, incoming: y },
  ]);
  assert.deepEqual(lines, [
    'skipped osconfig context "a": another cluster uses the name',
    'overwrote osconfig context "b"',
    'osconfig context "c" is unchanged',
    'added osconfig context "d"',
  ]);
});

Deno.test("merge changes the current context when none is set or when asked, by its new name", async () => {
  const incoming = config({ a: y }, "a");
  const none = await mergeAll(config({ a: x }), incoming);
  assert.equal(none.current, "a-1");
  assert.deepEqual(none.lines, [
    'renamed osconfig context "a" -> "a-1"',
    'current osconfig context is now "a-1"',
  ]);
  const asked = await mergeAll(config({ a: x }, "a"), incoming, {
    setCurrent: true,
  });
  assert.equal(asked.current, "a-1");
  const skipped = await mergeAll(config({ a: x }, "b"), incoming, {
    setCurrent: true,
    onConflict: "skip",
  });
  assert.equal(skipped.current, "b");
});

Deno.test("merge brings unknown fields along and keeps those that were there", async () => {
  const target = await parseOsconfig(
    "contexts:\n    a:\n        endpoints: []\n        ca: WA==\n        old: true # kept\n",
    "f",
  );
  const incoming = await parseOsconfig(
    "contexts: {a: {ca: WA==, new: [1.0]}, b: {proxy: {url: 'x'}}}\n",
    "g",
  );
  const { config } = await mergeOsconfig(target, incoming);
  assert.equal(
    await renderOsconfig(config),
    `context: ""
contexts:
    a:
        endpoints: []
        ca: WA==
        old: true # kept
        new:
            - 1.0
    b:
        endpoints: []
        proxy:
            url: "x"
`,
  );
});

Deno.test("merging the same again changes nothing", async () => {
  await fc.assert(
    fc.asyncProperty(anyConfig(), anyConfig(), options(), async (a, b, how) => {
      const once = await mergeOsconfig(a, b, how);
      const twice = await mergeOsconfig(once.config, b, how);
      assert.deepEqual(twice.config, once.config);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("merging loses no context: each incoming one is there under the name that is reported", async () => {
  await fc.assert(
    fc.asyncProperty(anyConfig(), anyConfig(), async (a, b) => {
      const { config, events } = await mergeOsconfig(a, b);
      const reported = events.filter(({ action }) => action !== "current");
      assert.equal(reported.length, b.contexts.size);
      const names = new Set(reported.map(({ name }) => name));
      assert.equal(names.size, reported.length);
      for (const [index, incoming] of [...b.contexts.values()].entries()) {
        const placed = config.contexts.get(reported[index]?.name ?? "");
        assert.equal(placed && saysAll(placed, incoming), true);
      }
    }),
    { numRuns: 2000 },
  );
});

function saysAll(placed: ClientContext, incoming: ClientContext): boolean {
  return changedFields(placed, incoming).every((field) =>
    field === "nodes" && incoming.nodes.length === 0 ||
    field === "endpoints" && incoming.endpoints.length === 0 ||
    field === "cluster" && incoming.cluster === undefined ||
    (field === "crt" || field === "key") && incoming.crt === undefined &&
      incoming.key === undefined
  );
}

function anyConfig(): fc.Arbitrary<Osconfig> {
  const few = fc.subarray(["10.0.0.1", "10.0.0.2"]);
  const context = fc.record({
    endpoints: few,
    nodes: few,
    ca: fc.constantFrom(undefined, "WA==", "WQ=="),
    crt: fc.constantFrom(undefined, "MQ==", "Mg=="),
    key: fc.constantFrom(undefined, "MQ==", "Mg=="),
    cluster: fc.constantFrom(undefined, "c"),
  });
  const name = fc.constantFrom("a", "a-1", "a-2", "a-1-1", "b");
  return fc.record({
    current: fc.constantFrom("", "a", "a-1", "none"),
    contexts: fc.uniqueArray(fc.tuple(name, context), {
      selector: ([key]) => key,
    }).map((entries) => new Map(entries)),
  }, { noNullPrototype: true });
}

function options(): fc.Arbitrary<MergeOptions> {
  const policy = fc.constantFrom("rename", "overwrite", "skip");
  return fc.record({
    onConflict: fc.oneof(policy, policy.map((answer) => () => answer)),
    setCurrent: fc.boolean(),
  });
}

Deno.test("a merge keeps the proxy of a context, and takes one that is new", async () => {
  const direct = { ...x, proxyUrl: "direct" };
  const kept = await mergeAll(config({ x: direct }), config({ x }));
  assert.equal(kept.contexts["x"]?.proxyUrl, "direct");
  const taken = await mergeAll(config({ x }), config({ x: direct }));
  assert.equal(taken.contexts["x"]?.proxyUrl, "direct");
});
