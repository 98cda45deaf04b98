import assert from "node:assert/strict";
import { problems } from "./_finders.ts";

const names = [
  "rolling-upgrade",
  "node-upgrade",
  "rotate-ca",
  "rotate-kubernetes-ca",
  "etcd-recovery",
] as const;

async function golden(name: string): Promise<string> {
  const url = new URL(`golden/${name}.runbook.txt`, import.meta.url);
  const text = await Deno.readTextFile(url);
  return text.replace(/builtin:([a-z-]+)/g, "./$1.yaml");
}

async function withUsed(name: string) {
  const used = ["node-upgrade", "rotate-kubernetes-ca"];
  const others = await Promise.all(
    used.map(async (one) => [`${one}.yaml`, await golden(one)]),
  );
  return { "a.yaml": await golden(name), ...Object.fromEntries(others) };
}

for (const name of names) {
  Deno.test(`every expression of ${name} has the type that is wanted`, async () => {
    assert.deepEqual(await problems(await withUsed(name)), []);
  });
}

Deno.test("a letter more in any expression of the runbooks is found where it is", async () => {
  const wrong: readonly [string, string, string, string][] = [
    [
      "rolling-upgrade",
      "size(groups.stale)",
      "size(groups.stael)",
      `a.yaml:61:16: "groups" has no "stael", in "Upgrade \${{ size(groups.stael) }} nodes to \${{ inputs.version }}" (Did you mean "stale"?)`,
    ],
    [
      "node-upgrade",
      "when: node.caps.lifecycle\n        run: upgrade.install",
      "when: node.cap.lifecycle\n        run: upgrade.install",
      `a.yaml:22:15: "node" has no "cap", in "node.cap.lifecycle" (Did you mean "caps"?)`,
    ],
    [
      "rotate-ca",
      'steps.clients.transitional }}", routes',
      'steps.clients.transitionel }}", routes',
      `a.yaml:54:63: "steps.clients" has no "transitionel", in "\${{ steps.clients.transitionel }}" (Did you mean "transitional"?)`,
    ],
    [
      "rotate-kubernetes-ca",
      "!reached('issue')",
      "!reached('isue')",
      `a.yaml:39:15: There is no step "isue" (Did you mean "issue"?)`,
    ],
    [
      "etcd-recovery",
      "now() - steps.source.takenAt > inputs.maxAge",
      "now() - steps.source.takenAt > inputs.maxage",
      `a.yaml:54:11: "inputs" has no "maxage", in "now() - steps.source.takenAt > inputs.maxage" (Did you mean "maxAge"?)`,
    ],
  ];
  for (const [name, right, changed, expected] of wrong) {
    const files = await withUsed(name);
    const text = files["a.yaml"].replace(right, changed);
    assert.notEqual(text, files["a.yaml"]);
    assert.deepEqual(await problems({ ...files, "a.yaml": text }), [expected]);
  }
});
