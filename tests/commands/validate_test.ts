import assert from "node:assert/strict";
import { withFolder } from "../_folder.ts";
import { run } from "../_run.ts";

const good = `machine:
  type: controlplane
  ca: {crt: QQ==, key: QQ==}
  install: {disk: /dev/sda}
  features: {hostDNS: {enabled: true, forwardKubeDNSToHost: true}}
cluster:
  ca: {crt: QQ==, key: QQ==}
  aggregatorCA: {crt: QQ==, key: QQ==}
  serviceAccount: {key: QQ==}
  controlPlane: {endpoint: "https://10.0.0.1:6443"}
  etcd: {ca: {crt: QQ==, key: QQ==}}
`;

const wrong = `machine:
  typ: worker
  ca: {crt: QQ==}
  install: {disk: /dev/sda}
cluster:
  controlPlane: {}
---
# nothing
---
apiVersion: v1alpha1
kind: UserVolumeConfig
name: data
provisioning:
  diskSelector:
    match: 'disk.size > 1u && dsk.rotational'
  minSize: 10GB
`;

const future = "apiVersion: v1alpha1\nkind: FutureConfig\nx: 1\n";

/** Runs with files in a folder; the folder's name is removed from what comes back. */
async function validate(
  files: Readonly<Record<string, string>>,
  line: string,
): Promise<readonly [out: string, err: string, status: number]> {
  let result: readonly [string, string, number] = ["", "", -1];
  await withFolder(files, async (folder) => {
    const words = line.split(" ").map((word) =>
      word.endsWith(".yaml") ? `${folder}/${word}` : word
    );
    const { out, err, status } = await run(["validate", ...words]);
    const bare = (text: string) => text.replaceAll(`${folder}/`, "");
    result = [bare(out), bare(err), status];
  });
  return result;
}

for (const mode of ["metal", "cloud", "container", "metal-agent"]) {
  Deno.test(`validate takes a configuration that is right for ${mode} mode`, async () => {
    assert.deepEqual(
      await validate({ "a.yaml": good }, `-c a.yaml -m ${mode}`),
      [
        `a.yaml is valid for ${mode} mode\n`,
        "",
        0,
      ],
    );
  });
}

Deno.test("validate asks for what a mode needs", async () => {
  const text = good.replace(/ {2}(install|features): .*\n/g, "");
  assert.deepEqual(await validate({ "a.yaml": text }, "a.yaml -m cloud"), [
    "a.yaml is valid for cloud mode\n",
    "",
    0,
  ]);
  const [, metal] = await validate({ "a.yaml": text }, "a.yaml -m metal");
  assert.equal(
    metal,
    `a.yaml:1:1: error: v1alpha1: machine.install: "machine.install" is missing, which mode "metal" needs (Give machine.install.disk or machine.install.diskSelector)
error: The configuration is not valid
`,
  );
  const [out, container, status] = await validate(
    { "a.yaml": text },
    "a.yaml -m container",
  );
  assert.equal(out, "a.yaml is not valid for container mode\n");
  assert.match(container, /^a\.yaml:1:1: error: .*hostDNS/);
  assert.equal(status, 2);
});

Deno.test("validate tells all problems of all documents in the order of the file", async () => {
  assert.deepEqual(
    await validate({ "a.yaml": wrong }, "--config a.yaml --mode metal"),
    [
      "a.yaml is not valid for metal mode\n",
      `a.yaml: document 2 is empty
a.yaml:1:1: warning: v1alpha1: machine.type: Machine type is missing; the default is worker (Write "worker")
a.yaml:2:3: error: v1alpha1: machine.typ: Unknown key "typ" (Did you mean "type"?)
a.yaml:6:3: error: v1alpha1: cluster.controlPlane.endpoint: "endpoint" is missing (Give endpoint: URL of the Kubernetes API for all nodes and users)
a.yaml:15:31: error: UserVolumeConfig/data: provisioning.diskSelector.match: Unknown name "dsk" (Did you mean "disk"?)
error: The configuration is not valid
`,
      2,
    ],
  );
});

Deno.test("validate -o json has a row for each file with all its problems", async () => {
  const [out] = await validate(
    { "a.yaml": wrong.slice(wrong.indexOf("apiVersion")) },
    "a.yaml -m metal -o json",
  );
  assert.equal(
    out,
    `{
    "file": "a.yaml",
    "mode": "metal",
    "valid": false,
    "problems": [
        {
            "level": "error",
            "document": 1,
            "identity": "UserVolumeConfig/data",
            "line": 6,
            "column": 31,
            "path": "provisioning.diskSelector.match",
            "message": "Unknown name \\"dsk\\"",
            "hint": "Did you mean \\"disk\\"?"
        }
    ]
}
`,
  );
});

Deno.test("validate continues with the other files when one cannot be read", async () => {
  const files = { "a.yaml": "b: 1\nb: 2\n", "c.yaml": good };
  const [out, err, status] = await validate(
    files,
    "a.yaml none.yaml c.yaml -m metal -o jsonl",
  );
  assert.equal(
    out,
    `{"file":"a.yaml","mode":"metal","valid":false,"problems":[{"level":"error","document":null,"identity":"","line":2,"column":1,"path":"","message":"Cannot read it: \\"b\\" appears twice in one mapping","hint":"Keep one of them"}]}
{"file":"none.yaml","mode":"metal","valid":false,"problems":[{"level":"error","document":null,"identity":"","line":null,"column":null,"path":"","message":"Cannot read \\"none.yaml\\": no such file","hint":null}]}
{"file":"c.yaml","mode":"metal","valid":true,"problems":[]}
`,
  );
  assert.equal(
    err,
    `a.yaml:2:1: error: Cannot read it: "b" appears twice in one mapping (Keep one of them)
none.yaml: error: Cannot read "none.yaml": no such file
error: 2 of 3 configurations are not valid
`,
  );
  assert.equal(status, 2);
});

Deno.test("validate --strict takes warnings of every kind of document for errors", async () => {
  const files = { "a.yaml": future };
  const fault = "FutureConfig: kind: " +
    'The kind "FutureConfig" (v1alpha1) is unknown ' +
    "(It is kept unchanged and not validated; a node that supports it validates it)\n";
  assert.deepEqual(await validate(files, "a.yaml -m metal"), [
    "a.yaml is valid for metal mode\n",
    `a.yaml:2:1: warning: ${fault}`,
    0,
  ]);
  assert.deepEqual(await validate(files, "a.yaml -m metal --strict"), [
    "a.yaml is not valid for metal mode\n",
    `a.yaml:2:1: error: ${fault}error: The configuration is not valid\n`,
    2,
  ]);
  const [row] = await validate(files, "a.yaml -m metal --strict -o jsonl");
  assert.match(row, /"valid":false,"problems":\[\{"level":"warning"/);
});

Deno.test("validate - reads standard input", async () => {
  const { out, err, status } = await run("validate - -m cloud", {}, {
    stdin: `${good}---\nx: [\n`,
  });
  assert.equal(out, "standard input is not valid for cloud mode\n");
  assert.match(err, /^standard input:14:1: error: Cannot read it: /);
  assert.equal(status, 2);
});

Deno.test("validate refuses a file without documents", async () => {
  const files = { "a.yaml": "# none\n---\n---\n" };
  assert.deepEqual(await validate(files, "a.yaml -m metal"), [
    "a.yaml is not valid for metal mode\n",
    `a.yaml: documents 1, 2 are empty
a.yaml: error: There is no document (Give a machine configuration)
error: The configuration is not valid
`,
    2,
  ]);
});

Deno.test("validate names ten empty documents and counts the others", async () => {
  const files = { "a.yaml": "---\n".repeat(20) + future };
  const [, err] = await validate(files, "a.yaml -m metal");
  assert.equal(
    err.split("\n")[0],
    "a.yaml: documents 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 9 more are empty",
  );
});

Deno.test("validate shows a hundred problems, its rows all of them", async () => {
  const labels = Array.from({ length: 300 }, (_, i) => `    k${i}: -b\n`);
  const text = good.replace(
    "machine:\n",
    (machine) => `${machine}  nodeLabels:\n${labels.join("")}`,
  );
  const files = { "a.yaml": text };
  const [, err] = await validate(files, "a.yaml -m metal");
  const lines = err.split("\n");
  assert.equal(lines.length, 103);
  assert.match(lines[99] ?? "", /^a\.yaml:102:5: error: .*nodeLabels\.k99: /);
  assert.equal(lines[100], "a.yaml: 200 more; use -o json to see all");
  const [row] = await validate(files, "a.yaml -m metal -o jsonl");
  assert.equal(JSON.parse(row).problems.length, 300);
});

Deno.test("validate --os-version names kinds and keys a version does not know", async () => {
  const files = {
    "a.yaml": `apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n`,
  };
  assert.deepEqual(
    await validate(files, "a.yaml -m metal --os-version 1.12.3"),
    ["a.yaml is valid for metal mode\n", "", 0],
  );
  const [, err, status] = await validate(
    files,
    "a.yaml -m metal --os-version v1.11",
  );
  assert.equal(
    err,
    `a.yaml:2:1: error: HostnameConfig: kind: Version 1.11 does not support HostnameConfig (It is supported since 1.12)
error: The configuration is not valid
`,
  );
  assert.equal(status, 2);
});

Deno.test("validate --os-version refuses a version it does not know, before any file", async () => {
  assert.deepEqual(
    await validate({ "a.yaml": good }, "a.yaml -m metal --os-version v1.99"),
    [
      "",
      `error: OS version "v1.99" is not known to this osctl: the newest known is v1.14
hint: Use v1.14, or a newer osctl
`,
      2,
    ],
  );
});

/** Command lines that do not fit, and the first line that says so. */
const misuses: readonly (readonly [line: string, message: string])[] = [
  [
    "a.yaml",
    "error: Flag --mode is missing: where the configuration will be used",
  ],
  ["-m metal", "error: No configuration to check"],
  ["- -c - -m metal", "error: Standard input is used twice"],
  [
    "a.yaml -m vm",
    'error: Invalid value "vm" for -m, --mode: must be one of metal, cloud, container, metal-agent',
  ],
];

for (const [line, message] of misuses) {
  Deno.test(`validate does not take "${line}"`, async () => {
    const [out, err, status] = await validate({ "a.yaml": good }, line);
    assert.equal(out, "");
    assert.equal(err.split("\n")[0], message);
    assert.equal(status, 2);
  });
}

Deno.test("validate --help says what only a node can tell", async () => {
  const { out } = await run("validate --help");
  assert.match(out, /Facts of nodes are not checked: whether/);
});

Deno.test("Kubernetes that the release does not support is a warning, and an error with --strict", async () => {
  const main = good.replace(
    "  install:",
    "  kubelet: {image: k:v1.34.1}\n  install:",
  );
  const files = {
    "a.yaml": `${main}---
apiVersion: v1alpha1
kind: KubeAPIServerConfig
image: a:v1.31.9
`,
  };
  const line = "-c a.yaml -m metal --os-version";
  const problems = (err: string) => err.split("\n").slice(0, -1);
  const [, old, status] = await validate(files, `${line} v1.8`);
  assert.ok(
    problems(old).includes(
      "a.yaml:4:13: warning: v1alpha1: machine.kubelet.image: Kubernetes v1.34.1 is too new for v1.8, which supports v1.26 to v1.31",
    ),
    old,
  );
  // v1.8 does not have the second document either.
  assert.equal(status, 2);
  const [, fresh] = await validate(files, `${line} v1.14`);
  assert.ok(
    problems(fresh).includes(
      "a.yaml:16:1: warning: KubeAPIServerConfig: image: Kubernetes v1.31.9 is too old for v1.14, which supports v1.32 to v1.37",
    ),
    fresh,
  );
  const alone = { "a.yaml": main };
  assert.equal((await validate(alone, `${line} v1.8`))[2], 0);
  assert.equal((await validate(alone, `${line} v1.8 --strict`))[2], 2);
  assert.equal((await validate(alone, `${line} v1.9 --strict`))[2], 2);
  assert.equal((await validate(alone, `${line} v1.12 --strict`))[2], 0);
});
