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
    const osconfig = `${folder}/out/osconfig`;
    assert.equal(out, [...paths, osconfig, ""].join("\n"));
    const context = await run(`config info --osconfig ${osconfig}`);
    assert.match(
      context.out,
      /^Endpoints: +10\.0\.0\.2\nRoles: +os:admin\n/m,
    );
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

Deno.test("site render sends schematics to their factory on --register only", async () => {
  const received: string[] = [];
  let answer = new Response();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      received.push(`${request.method} ${pathname}\n${await request.text()}`);
      return answer;
    },
  );
  const factory = `127.0.0.1:${server.addr.port}`;
  const site = `factory: ${factory}
extensions: [iscsi-tools]
${smallSite}  - {host: w-2, role: worker, kernelArgs: [console=ttyS0]}
`;
  await withFiles({ ...files, "site.yaml": site }, async (folder) => {
    const line = `site render --site ${folder}`;
    await run(line);
    assert.deepEqual(received, []);
    const id =
      "c9078f9419961640c712a8bf2bb9174933dfcf1da383fd8ea2b7dc21493f8bac";
    answer = new Response(`{"id":"${id}"}`, { status: 201 });
    const { err, status } = await run(`${line} --register -n cp-1,w-1`);
    assert.equal(err, `Registered schematic ${id} with ${factory}\n`);
    assert.equal(status, 0);
    assert.deepEqual(received, [`POST /schematics
customization:
    systemExtensions:
        officialExtensions:
            - siderolabs/iscsi-tools
`]);
    for (
      const [next, reason] of [
        [new Response('{"id":"b"}'), "its id is b there"],
        [new Response("no\n", { status: 400 }), "HTTP 400: no"],
      ] as const
    ) {
      answer = next;
      const failed = await run(`${line} --register -n w-1`);
      assert.equal(
        failed.err,
        `error: Cannot register schematic ${id} with ${factory}: ${reason}
hint: Sent to http://${factory}/schematics
`,
      );
      assert.equal(failed.status, 1);
    }
  });
});
