import assert from "node:assert/strict";
import { renderSecrets } from "../../../config/generate/secrets_file.ts";
import { someSecrets } from "../../config/generate/_bundle.ts";
import { run } from "../../_run.ts";
import { smallSite, withFiles } from "../../workflows/site/_site.ts";

const files = {
  "site.yaml":
    `${smallSite}  - {host: w-2, role: worker, labels: {gpu: "1"}}\n`,
  "all/disk.yaml": "machine: {install: {disk: /dev/sda}}\n",
  "secrets.yaml": renderSecrets(someSecrets),
};

/** Hosts whose configurations are printed. */
function hosts(out: string): readonly string[] {
  return [...out.matchAll(/^# (.*)$/gm)].map(([, host = ""]) => host);
}

Deno.test("site render prints configurations without their secrets", async () => {
  await withFiles(files, async (folder) => {
    const { out, err, status } = await run(`site render --site ${folder}`);
    assert.deepEqual([err, status], ["", 0]);
    assert.deepEqual(hosts(out), ["cp-1", "w-1", "w-2"]);
    assert.match(out, /^ {4}type: controlplane\n {4}token: \*{6}$/m);
    for (
      const secret of [
        someSecrets.certs.os.key,
        someSecrets.trustdInfo.token,
        someSecrets.cluster.secret,
        someSecrets.secrets.bootstrapToken,
      ]
    ) assert.ok(!out.includes(secret));
  });
});

Deno.test("site render takes nodes by name, address, role and label", async () => {
  await withFiles(files, async (folder) => {
    for (
      const [flags, expected] of [
        ["-n w-1,10.0.0.2", ["cp-1", "w-1"]],
        ["-n @workers", ["w-1", "w-2"]],
        ["-n @controlplane", ["cp-1"]],
        ["-l gpu=1", ["w-2"]],
        ["-l role=worker,!gpu", ["w-1"]],
      ] as const
    ) {
      const { out } = await run(`site render --site ${folder} ${flags}`);
      assert.deepEqual(hosts(out), expected, flags);
    }
    const { err, status } = await run(`site render --site ${folder} -n w-3`);
    assert.equal(
      err,
      `error: The site has no node "w-3"
hint: Its nodes: cp-1, w-1, w-2
Usage: osctl site render [flags]
Run "osctl site render --help" for its flags
`,
    );
    assert.equal(status, 2);
  });
});

Deno.test("site render --output writes complete files for their owner", async () => {
  await withFiles(files, async (folder) => {
    const line = `site render --site ${folder} -o ${folder}/out`;
    const { out } = await run(line);
    const paths = ["cp-1", "w-1", "w-2"].map((host) =>
      `${folder}/out/${host}.yaml`
    );
    assert.equal(out, paths.map((path) => `${path}\n`).join(""));
    for (const path of paths) {
      const text = await Deno.readTextFile(path);
      assert.ok(text.includes(someSecrets.trustdInfo.token));
      const { mode } = await Deno.stat(path);
      if (mode !== null) assert.equal(mode & 0o777, 0o600);
    }
    const { err } = await run(
      `validate --mode metal -c ${paths[0]} --osconfig x`,
    );
    assert.equal(err, "");
    // A second time replaces the files.
    assert.equal((await run(line)).status, 0);
  });
});
