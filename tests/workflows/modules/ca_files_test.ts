import assert from "node:assert/strict";
import { withCluster } from "../../_cluster.ts";
import { withFolder } from "../../_folder.ts";
import { onCluster, withRunner } from "../_step_context.ts";
import { parseOsconfig } from "../../../config/osconfig/osconfig_file.ts";
import { readMachineConfiguration } from "../../../transport/node/machine_configuration.ts";

Deno.test("CA files: each output for the operator has its own file", async () => {
  await withFolder({ "run/": "" }, async (folder) => {
    await withCluster({}, async (cluster) => {
      await withRunner(
        { cluster, folder: `${folder}/run` },
        async ({ read }) => {
          const { ca } = await read("ca.generate", { kind: "os" });
          const { final } = await read("osconfig.issue", { ca: ca! });
          const path = `${folder}/osconfig`;
          const write = { path, config: final!, keepPrevious: true };
          assert.deepEqual(await read("osconfig.write", write), {
            path,
            changed: true,
            previous: "",
          });
          assert.deepEqual(await read("osconfig.write", write), {
            path,
            changed: false,
            previous: "",
          });
          const { contexts } = await parseOsconfig(
            await Deno.readTextFile(path),
            path,
          );
          assert.deepEqual(
            contexts.get("simulated")?.endpoints,
            cluster.endpoints,
          );
          const out = `${folder}/secrets.yaml`;
          const exported = await read("vault.export", { path: out });
          assert.equal(exported.changed, true);
          const text = await Deno.readTextFile(out);
          assert.match(text, /^certs:\n {4}os:\n {8}crt: /);
          assert.match(text, /\nosconfig: \|\n/);
          await read("vault.export", { path: out, what: ["ca"] });
          assert.ok(!(await Deno.readTextFile(out)).includes("osconfig"));
        },
      );
    });
  });
});

Deno.test("configurations and kubeconfigs are kept in the vault, and stay out of texts", async () => {
  await onCluster({}, async ({ read, vault, context }, cluster) => {
    const input = { to: "vault" };
    const first = await read("config.backup", input, "10.5.0.2");
    assert.deepEqual(
      await read("config.backup", input, "10.5.0.2"),
      first,
    );
    const { client } = await context("10.5.0.2");
    const text = await readMachineConfiguration(client);
    const [name = ""] = vault.names();
    assert.match(name, /^config\.10\.5\.0\.2\.[0-9a-f]{12}$/);
    assert.match(String(first.hash), /^[0-9a-f]{64}$/);
    const kept = await vault.read({ secret: name });
    assert.equal(new TextDecoder().decode(kept), text);
    const { secrets } = cluster.nodes[0]!.cluster;
    assert.equal(
      vault.masker.mask(`key ${secrets.certs.os.key} of it`),
      "key ****** of it",
    );
    const { kubeconfig } = await read("kubeconfig.fetch", input);
    assert.deepEqual(kubeconfig, { secret: vault.names()[1]! });
  });
});
