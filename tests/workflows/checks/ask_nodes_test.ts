import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { askAll, groupCheck } from "../../../workflows/checks/ask_nodes.ts";
import { makeContext } from "./_check_context.ts";

Deno.test("askAll keeps the order of nodes, and programming errors are raised", async () => {
  const context = makeContext({ nodes: { a: {}, b: {}, c: {} } });
  const found = await askAll(
    context,
    ["c", "a", "b"],
    ({ node }) =>
      node === "a"
        ? Promise.reject(new RpcError("UNKNOWN", "no"))
        : Promise.resolve(node.toUpperCase()),
  );
  assert.deepEqual([...found.values], [["c", "C"], ["b", "B"]]);
  assert.deepEqual(found.problems, ["a: no"]);
  await assert.rejects(
    askAll(context, ["a"], () => Promise.reject(new TypeError("a bug"))),
    { name: "TypeError" },
  );
});

Deno.test("a rule is requested only when something breaks it and every node answers", async () => {
  const asked: string[] = [];
  const context = {
    ...makeContext({ nodes: { a: {}, b: {} } }),
    overridden(rule: string) {
      asked.push(rule);
      return Promise.resolve(true);
    },
  };
  const found = async (answers: Readonly<Record<string, string | undefined>>) =>
    await groupCheck({
      name: "a",
      summary: "A",
      rule: "version-path",
      findProblem({ node }) {
        const answer = answers[node];
        return answer === "silent"
          ? Promise.reject(new RpcError("UNAVAILABLE", "no answer"))
          : Promise.resolve(answer);
      },
      seen: () => "all",
    }).run(context, {});
  assert.deepEqual(await found({}), { ok: true, seen: "all" });
  assert.deepEqual(await found({ a: "too far", b: "silent" }), {
    ok: false,
    reason: "b: no answer; a: too far",
  });
  assert.deepEqual(asked, []);
  assert.deepEqual(await found({ a: "too far" }), {
    ok: true,
    seen: "a: too far (overridden by version-path)",
  });
  assert.deepEqual(asked, ["version-path"]);
});
