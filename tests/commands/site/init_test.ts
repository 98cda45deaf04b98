import assert from "node:assert/strict";
import { testIdentity, testRecipient } from "../../config/_sops_files.ts";
import { needs, posix } from "../../_needs.ts";
import { run } from "../../_run.ts";
import { withFiles } from "../../workflows/site/_site.ts";

Deno.test("site init makes a valid site, and changes none", async () => {
  await withFiles({}, async (folder) => {
    // Newer versions have an RSA key, which takes long to generate.
    const line =
      `site init ${folder}/lab --endpoint https://10.0.0.10:6443 --os v1.6.8`;
    const { out, status } = await run(line);
    assert.equal(status, 0);
    assert.equal(
      out.replaceAll(`${folder}/`, ""),
      `lab/site.yaml
lab/site.schema.json
lab/all/install.yaml
lab/control-plane/etcd.yaml
lab/secrets.yaml
lab/.gitignore
`,
    );
    const checked = await run(`site check --site ${folder}/lab`);
    assert.equal(checked.out, `${folder}/lab is valid, 0 nodes\n`);
    assert.equal(checked.err, "");
    const path = `${folder}/lab/site.yaml`;
    const text = await Deno.readTextFile(path);
    assert.match(text, /^clusterName: "lab"$/m);
    assert.match(text, /^kubernetesVersion: 1.31.4$/m);
    // Commented lines are valid, too.
    const full = text.replace("nodes: []\n", "")
      .replace(/^# (?=(nodes|groups|extensions|kernelArgs):)/gm, "")
      .replace(/^# (?= )/gm, "");
    await Deno.writeTextFile(path, full);
    const { out: both } = await run(`site check --site ${folder}/lab`);
    assert.equal(both, `${folder}/lab is valid, 2 nodes\n`);
    const again = await run(line);
    assert.equal(
      again.err,
      `error: Cannot create a site: "${path}" exists
hint: Choose another directory
`,
    );
    assert.equal(await Deno.readTextFile(path), full);
  });
});

Deno.test("site init encrypts the secrets if a rule says so", async () => {
  const files = {
    ".sops.yaml": `creation_rules: [{age: "${testRecipient}"}]\n`,
  };
  await withFiles(files, async (folder) => {
    const line =
      `site init ${folder}/lab --endpoint https://10.0.0.10:6443 --os v1.6.8`;
    const { out, status } = await run(line);
    assert.equal(status, 0);
    // Nothing that is not encrypted has to be kept out of git.
    assert.equal(out.split("\n").at(-2), `${folder}/lab/secrets.yaml`);
    const text = await Deno.readTextFile(`${folder}/lab/secrets.yaml`);
    const values = text.slice(0, text.indexOf("\nsops:"))
      .match(/: \S.*$/gm) ?? [];
    assert.equal(values.length, 14);
    for (const value of values) assert.match(value, /^: ENC\[AES256_GCM,/);
    const check = `site check --site ${folder}/lab`;
    const env = { SOPS_AGE_KEY: testIdentity };
    const checked = await run(check, {}, { env });
    assert.deepEqual([checked.err, checked.status], ["", 0]);
    const denied = await run(check);
    assert.match(
      denied.err,
      /^Cannot decrypt ".*": there is no private key for/,
    );
    assert.equal(denied.status, 2);
  });
});

Deno.test({
  name: "site init stores new secrets with a provider, once",
  ...needs(posix),
  async fn() {
    const provider = `#!/bin/sh
cd "$(dirname "$0")"
echo "$*" >> calls
case "$2" in
get) cat stored 2>/dev/null || true ;;
put) cat > stored ;;
esac
`;
    await withFiles({ provider }, async (folder) => {
      const program = `${folder}/provider`;
      await Deno.chmod(program, 0o755);
      const line = (name: string) =>
        `site init ${folder}/${name}/lab --endpoint https://10.0.0.10:6443 --os v1.6.8 --secrets-provider ${program}`;
      const { out, err, status } = await run(line("a"), {}, {
        env: Deno.env.toObject(),
      });
      assert.match(
        err,
        /^Add the nodes to .*\/lab\/site.yaml; then "osctl site render --site .*\/lab -o out" .*\n$/,
      );
      assert.equal(status, 0);
      assert.doesNotMatch(out, /secrets\.yaml|gitignore/);
      const stored = await Deno.readTextFile(`${folder}/stored`);
      assert.match(stored, /^cluster:\n {4}id: /);
      await run(line("b"), {}, { env: Deno.env.toObject() });
      assert.equal(await Deno.readTextFile(`${folder}/stored`), stored);
      const checked = await run(`site check --site ${folder}/b/lab`, {}, {
        env: Deno.env.toObject(),
      });
      assert.deepEqual([checked.err, checked.status], ["", 0]);
      assert.equal(
        await Deno.readTextFile(`${folder}/calls`),
        "secrets get lab\nsecrets put lab\nsecrets get lab\nsecrets get lab\n",
      );
    });
  },
});

Deno.test("site init takes no endpoint with a password", async () => {
  const { err, status } = await run(
    "site init lab --endpoint https://user:secret@10.0.0.10:6443",
  );
  assert.match(
    err,
    /^error: Flag --endpoint has a user name or password\nhint: Give it as https:\/\/10.0.0.1:6443\n/,
  );
  assert.equal(status, 2);
});
