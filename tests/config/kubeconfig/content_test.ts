import assert from "node:assert/strict";
import {
  changedKeys,
  emptyKubeconfig,
  parseKubeconfig,
  readText,
  sameFields,
} from "../../../config/kubeconfig/content.ts";
import { nodeKubeconfig } from "./_kubeconfig.ts";

Deno.test("parseKubeconfig finds entries by kind and name", () => {
  const config = parseKubeconfig(nodeKubeconfig(), "file");
  assert.deepEqual([...config.cluster.keys()], ["c"]);
  assert.deepEqual([...config.user.keys()], ["admin@c"]);
  assert.equal(readText(config.context.get("admin@c")?.get("user")), "admin@c");
  assert.equal(config.current, "admin@c");
});

Deno.test("parseKubeconfig takes a blank file, and lists that are null, for nothing", () => {
  assert.deepEqual(parseKubeconfig("", "file"), emptyKubeconfig);
  const nothing = "clusters: null\nusers: []\ncontexts:\ncurrent-context: ''\n";
  assert.deepEqual(parseKubeconfig(nothing, "file"), emptyKubeconfig);
});

Deno.test("parseKubeconfig reads JSON", () => {
  const json = '{"clusters":[{"name":"c","cluster":{"server":"s"}}]}';
  const { cluster } = parseKubeconfig(json, "file");
  assert.equal(readText(cluster.get("c")?.get("server")), "s");
});

Deno.test("parseKubeconfig names the file and what is wrong with it", () => {
  const cases = [
    ["[1]", "it is not a mapping"],
    ["clusters: {}", '"clusters" is not a list'],
    ["users: [1]", 'an item of "users" is not a mapping'],
    ["users: [{user: {}}]", 'an item of "users" has no name'],
    ["contexts: [{name: a}, {name: a}]", '"contexts" contains "a" twice'],
    ["clusters: [{name: a, cluster: 1}]", 'cluster "a" is not a mapping'],
    ["a: [", "not YAML"],
  ] as const;
  for (const [text, fault] of cases) {
    assert.throws(
      () => parseKubeconfig(text, "my/config"),
      ({ message }) => message.includes("my/config") && message.includes(fault),
      text,
    );
  }
});

Deno.test("quotes make no difference, values do", () => {
  const findFields = (text: string) => {
    const config = parseKubeconfig(
      `clusters: [{name: a, cluster: ${text}}]`,
      "f",
    );
    return config.cluster.get("a") ?? new Map();
  };
  const plain = findFields("{server: s, x: [1, {y: z}]}");
  assert.ok(
    sameFields(plain, findFields("{x: ['1', {y: \"z\"}], server: 's'}")),
  );
  assert.ok(!sameFields(plain, findFields("{server: s, x: [1, {y: w}]}")));
  assert.ok(!sameFields(plain, findFields("{server: s}")));
  assert.ok(!sameFields(findFields("{x: [1]}"), findFields("{x: [1, 2]}")));
  assert.deepEqual(changedKeys(plain, findFields("{server: t, z: 1}")), [
    "server",
    "x",
    "z",
  ]);
});
