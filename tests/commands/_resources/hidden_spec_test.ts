import assert from "node:assert/strict";
import { yamlSpecAnnotation } from "../../../talos.ts";
import { machineConfigurationType } from "../../../transport/node/machine_configuration.ts";
import { run } from "../../_run.ts";
import { lists } from "../_resources.ts";
import { hiddenSpec } from "../../../commands/_resources/resource_row.ts";

const version = () => ({ messages: [{ version: { tag: "v1.12.1" } }] });

const configuration = {
  type: machineConfigurationType,
  namespace: "config",
  id: "v1alpha1",
  spec: JSON.stringify(
    "machine: {type: worker, token: t0ken-in-get, env: {A: env-in-get}}\n",
  ),
  metadata: { annotations: { [yamlSpecAnnotation]: "1" } },
};

const secret = {
  type: "Secrets.k8s.talos.dev",
  namespace: "k8s",
  id: "a",
  spec: "key: s3cret-in-get\nlist: [1, true]\n",
};

for (
  const [word, found, shown, values] of [
    [
      "mc",
      configuration,
      /type: worker\n +token: '\*{6}'[^]*A: \(redacted, 10 characters\)/,
      ["t0ken-in-get", "env-in-get"],
    ],
    ["secret", secret, /key: \(redacted, 13 characters\)[^]*- true\n/, [
      "s3cret-in-get",
    ]],
  ] as const
) {
  Deno.test(`get ${word} hides secrets on a terminal, and nowhere else`, async () => {
    const nodes = { a: { list: lists(found), version } };
    const line = `get ${word} -o yaml`;
    const seen = await run(line, nodes, { columns: 80 });
    assert.match(seen.out, shown);
    assert.match(seen.err, /Secrets are hidden; show them with --show-secrets/);
    const asked = await run(`${line} --show-secrets`, nodes, { columns: 80 });
    const piped = await run(line, nodes);
    for (const value of values) {
      assert.ok(!seen.out.includes(value));
      assert.ok(asked.out.includes(value));
      assert.ok(piped.out.includes(value));
    }
    assert.equal(asked.err + piped.err, "");
  });
}

Deno.test("a configuration that cannot be read is hidden as a whole", async () => {
  const metadata = { type: machineConfigurationType } as Parameters<
    typeof hiddenSpec
  >[0]["metadata"];
  assert.equal(
    await hiddenSpec({ metadata, spec: "machine: [unclosed" }),
    "(redacted, 18 characters)",
  );
});
