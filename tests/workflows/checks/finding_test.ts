import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import {
  askAll,
  counted,
  groupOf,
  nodeOf,
  unless,
  unlessLoosened,
} from "../../../workflows/checks/finding.ts";
import { siteOf } from "./_site.ts";

Deno.test("askAll keeps the order of nodes, and mistakes of the program are raised", async () => {
  const site = siteOf({ nodes: { a: {}, b: {}, c: {} } });
  const found = await askAll(
    site,
    ["c", "a", "b"],
    ({ node }) =>
      node === "a"
        ? Promise.reject(new RpcError("UNKNOWN", "no"))
        : Promise.resolve(node.toUpperCase()),
  );
  assert.deepEqual([...found.values], [["c", "C"], ["b", "B"]]);
  assert.deepEqual(found.problems, ["a: no"]);
  await assert.rejects(
    askAll(site, ["a"], () => Promise.reject(new TypeError("a mistake"))),
    { name: "TypeError" },
  );
});

Deno.test("askAll ends when nobody waits any more", async () => {
  const stop = new AbortController();
  const site = { ...siteOf({ nodes: { a: {} } }), signal: stop.signal };
  stop.abort(new RpcError("CANCELLED", "over"));
  await assert.rejects(askAll(site, ["a"], () => Promise.resolve(1)), {
    code: "CANCELLED",
  });
});

Deno.test("nodes and groups come from the input, else from the site", async () => {
  const site = siteOf({
    nodes: { a: {}, b: {} },
    node: "a",
    groups: { some: ["b"] },
  });
  assert.deepEqual([nodeOf(site, {}), nodeOf(site, { node: "b" })], ["a", "b"]);
  assert.deepEqual(await groupOf(site, {}), ["a", "b"]);
  assert.deepEqual(await groupOf(site, { group: "some" }), ["b"]);
});

Deno.test("unless tells three problems and counts the rest", () => {
  assert.deepEqual(unless([], "all"), { ok: true, seen: "all" });
  assert.deepEqual(unless(["a", "b", "c", "d"], "all"), {
    ok: false,
    reason: "a; b; c; and 1 more",
  });
  assert.deepEqual([counted(1, "node"), counted(2, "node")], [
    "1 node",
    "2 nodes",
  ]);
});

Deno.test("a rule is asked for only when something breaks it and every node answers", async () => {
  const asked: string[] = [];
  const site = {
    ...siteOf({ nodes: { a: {}, b: {} } }),
    loosened(rule: string) {
      asked.push(rule);
      return Promise.resolve(true);
    },
  };
  const found = async (answers: Readonly<Record<string, string | undefined>>) =>
    await unlessLoosened(site, "version-path", ["a", "b"], ({ node = "" }) => {
      const answer = answers[node];
      return answer === "silent"
        ? Promise.reject(new RpcError("UNAVAILABLE", "no answer"))
        : Promise.resolve(answer);
    }, "all");
  assert.deepEqual(await found({}), { ok: true, seen: "all" });
  assert.deepEqual(await found({ a: "too far", b: "silent" }), {
    ok: false,
    reason: "b: no answer; a: too far",
  });
  assert.deepEqual(asked, []);
  assert.deepEqual(await found({ a: "too far" }), {
    ok: true,
    seen: "a: too far (loosened by version-path)",
  });
  assert.deepEqual(asked, ["version-path"]);
});
