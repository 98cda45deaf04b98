import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import {
  askAll,
  groupCheck,
  presentMembers,
  readGroup,
  readService,
  serviceProblem,
} from "../../../workflows/checks/ask_nodes.ts";
import { requireNode } from "../../../workflows/checks/check.ts";
import { resource, servicesOf, siteOf } from "./_site.ts";

Deno.test("askAll keeps the order of nodes, and programming errors are raised", async () => {
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
    askAll(site, ["a"], () => Promise.reject(new TypeError("a bug"))),
    { name: "TypeError" },
  );
});

Deno.test("askAll ends when the caller no longer waits", async () => {
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
  assert.deepEqual([requireNode(site, {}), requireNode(site, { node: "b" })], [
    "a",
    "b",
  ]);
  assert.deepEqual(await readGroup(site, {}), ["a", "b"]);
  assert.deepEqual(await readGroup(site, { group: "some" }), ["b"]);
});

Deno.test("a rule is asked for only when something breaks it and every node answers", async () => {
  const asked: string[] = [];
  const site = {
    ...siteOf({ nodes: { a: {}, b: {} } }),
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
      problemOf({ node }) {
        const answer = answers[node];
        return answer === "silent"
          ? Promise.reject(new RpcError("UNAVAILABLE", "no answer"))
          : Promise.resolve(answer);
      },
      seen: () => "all",
    }).run(site, {});
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

const silent = {
  async *list() {
    yield await Promise.reject(new RpcError("UNAVAILABLE", "gone"));
  },
};

const listing = {
  async *list() {
    const spec = {
      addresses: ["10.0.0.9"],
      hostname: "late",
      machineType: "worker",
    };
    yield await Promise.resolve(resource(spec));
  },
};

Deno.test("members of this moment are told by the first control plane that answers", async () => {
  const site = siteOf({ nodes: { c1: silent, c2: listing } });
  const members = await presentMembers(site);
  assert.deepEqual(members.map(({ hostname }) => hostname), ["late"]);
});

Deno.test("members of this moment are not reported when no control plane answers", async () => {
  await assert.rejects(presentMembers(siteOf({ nodes: { c1: silent } })), {
    name: "RpcError",
  });
});

async function problem(state: string, checked: boolean) {
  const a = { serviceList: () => servicesOf({ etcd: state }) };
  const client = await siteOf({ nodes: { a } }).cluster.at("a");
  return serviceProblem("etcd", await readService(client, "etcd"), checked);
}

Deno.test("serviceProblem tells what keeps a service from working", async () => {
  assert.equal(await problem("Running", true), undefined);
  assert.equal(await problem("?Running", false), undefined);
  assert.equal(await problem("?Running", true), "etcd is not healthy");
  assert.equal(
    await problem("!Running", false),
    "etcd is not healthy (no answer)",
  );
  assert.equal(await problem("Waiting", false), "etcd is waiting (as told)");
  assert.equal(
    serviceProblem("etcd", undefined, false),
    "etcd is not registered",
  );
});
