import assert from "node:assert/strict";
import {
  changedKeys,
  parseKubeconfig,
  sameFields,
} from "../../../config/kubeconfig/content.ts";

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
