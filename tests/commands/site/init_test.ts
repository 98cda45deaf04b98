import assert from "node:assert/strict";
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
