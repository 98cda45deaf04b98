import assert from "node:assert/strict";
import { renderSecrets } from "../../../config/generate/secrets_file.ts";
import { someSecrets } from "../../config/generate/_bundle.ts";
import { needs, posix } from "../../_needs.ts";
import { run } from "../../_run.ts";
import { smallSite, withFiles } from "../../workflows/site/_site.ts";

const secrets = renderSecrets(someSecrets);

Deno.test("site check finds problems of the file, of patches and of what they make", async () => {
  const files = {
    "site.yaml": smallSite,
    "secrets.yaml": secrets,
    "worker/net.yaml": `machine:
  network:
    interfaces:
      - {interface: eth0, dhcp: maybe}
`,
    "control-plane/bad.yaml": "machine:\n  instal: {}\n",
    "node/w-2/x.yaml": "machine: {}\n",
  };
  await withFiles(files, async (folder) => {
    const { out, err, status } = await run(`site check --site ${folder}`);
    assert.equal(out, `${folder} is not valid\n`);
    assert.equal(
      err.replaceAll(folder, "."),
      `warning: ./node/w-2: there is no node "w-2": these patches are not applied
./control-plane/bad.yaml:2:3: machine.instal: Unknown key "instal" (Did you mean "install"?) [cp-1]
./worker/net.yaml:4:33: machine.network.interfaces[0].dhcp: "maybe" is not a boolean (Give true or false) [w-1]
error: Found 2 problems
`,
    );
    assert.equal(status, 2);
  });
});

Deno.test("site check says where the value of a patch breaks a rule of the configuration", async () => {
  const files = {
    "site.yaml": smallSite,
    "secrets.yaml": secrets,
    "all/disk.yaml": "machine: {install: {disk: /dev/sda}}\n",
    "all/taints.yaml": "machine:\n  nodeLabels:\n    'not a label!': x\n",
  };
  await withFiles(files, async (folder) => {
    const { out } = await run(`site check --site ${folder} -o json`);
    const { valid, nodes, problems } = JSON.parse(out);
    assert.deepEqual([valid, nodes], [false, 2]);
    assert.deepEqual(
      problems.map((
        { file, line, column, nodes, level }: Record<string, unknown>,
      ) => ({ file, line, column, nodes, level })),
      [{
        file: `${folder}/all/taints.yaml`,
        line: 3,
        column: 5,
        nodes: ["cp-1", "w-1"],
        level: "error",
      }],
    );
  });
});

Deno.test("site check -o json has the places of patches that cannot be used", async () => {
  const files = {
    "site.yaml": smallSite,
    "secrets.yaml": secrets,
    "control-plane/key.yaml": "machine:\n  instal: {}\n",
    "worker/json.yaml": "\n- {op: remove, path: /machine/install}\n",
  };
  const check = async (folder: string) => {
    const { out } = await run(`site check --site ${folder} -o json`);
    const { problems } = JSON.parse(out);
    return problems.map((
      { file, line, column, message }: Record<string, unknown>,
    ) => [String(file).slice(folder.length), line, column, message]);
  };
  await withFiles(files, async (folder) => {
    assert.deepEqual(await check(folder), [
      [
        ...["/control-plane/key.yaml", 2, 3],
        'machine.instal: Unknown key "instal" (Did you mean "install"?)',
      ],
      [
        ...["/worker/json.yaml", 2, 1],
        "it is a JSON patch (Write it as a strategic merge patch)",
      ],
    ]);
    const schematic = `${smallSite}schematicId: "@s.yaml"\n`;
    await Deno.writeTextFile(`${folder}/site.yaml`, schematic);
    await Deno.writeTextFile(`${folder}/s.yaml`, "\ncustom: {}\n");
    const [[wrong, ...at]] = await check(folder);
    assert.deepEqual([wrong, ...at.slice(0, 2)], ["/s.yaml", 2, 1]);
    await Deno.writeTextFile(`${folder}/site.yaml`, smallSite);
    const path = `${folder}/worker/json.yaml`;
    await Deno.writeTextFile(path, "machine:\n  a: [\n");
    const [, [file, line, column]] = await check(folder);
    assert.deepEqual([file, line, column], ["/worker/json.yaml", 2, 6]);
  });
});

Deno.test({
  name: "site check warns of secrets that others can read",
  ...needs(posix),
  async fn() {
    const files = {
      "site.yaml": smallSite,
      "secrets.yaml": secrets,
      "all/disk.yaml": "machine: {install: {disk: /dev/sda}}\n",
    };
    await withFiles(files, async (folder) => {
      const { out, err } = await run(`site check --site ${folder}`);
      assert.deepEqual([out, err], [`${folder} is valid, 2 nodes\n`, ""]);
      const path = `${folder}/secrets.yaml`;
      await Deno.chmod(path, 0o644);
      const open = await run(`site check --site ${folder}`);
      assert.equal(
        open.err,
        `warning: "${path}" is not encrypted, and other users can read it: chmod 600 ${path}\n`,
      );
      assert.equal(open.status, 0);
    });
  },
});

Deno.test("site check says that there are no secrets", async () => {
  await withFiles({ "topf.yaml": smallSite }, async (folder) => {
    const { err, status } = await run(`site check --site ${folder}`);
    const path = `${folder}/secrets.yaml`;
    assert.equal(
      err,
      `There are no secrets: "${path}" does not exist (Create them with: osctl gen secrets -o ${path})
error: Found 1 problem
`,
    );
    assert.equal(status, 2);
  });
});

Deno.test("site check without a site is one error", async () => {
  await withFiles({}, async (folder) => {
    const { out, err, status } = await run(`site check --site ${folder}/none`);
    assert.equal(
      out + err,
      `error: There is no site "${folder}/none"
hint: Create a site with: osctl site init ${folder}/none
`,
    );
    assert.equal(status, 2);
  });
});
