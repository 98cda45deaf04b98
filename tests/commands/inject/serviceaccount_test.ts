import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { run } from "../../_run.ts";

const pod = `# ours
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: web   # the server
    image: web
`;

const changed = `# ours
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: web # the server
    image: web
    volumeMounts:
    - name: talos-secrets
      mountPath: /var/run/secrets/talos.dev
  volumes:
  - name: talos-secrets
    secret:
      secretName: web-talos-secrets
---
apiVersion: talos.dev/v1alpha1
kind: ServiceAccount
metadata:
  name: web-talos-secrets
spec:
  roles:
  - os:reader
`;

async function readReport(
  line: string,
  options: Parameters<typeof run>[2] = {},
) {
  const { out, err, status } = await run(line, {}, options);
  return { out, err, status };
}

Deno.test("inject serviceaccount reads a file and prints manifests", () =>
  withFolder({ "web.yaml": pod }, async (folder) => {
    const file = `${folder}/web.yaml`;
    const wanted = { out: changed, err: "", status: 0 };
    assert.deepEqual(
      await readReport(`inject serviceaccount --file ${file}`),
      wanted,
    );
    assert.deepEqual(await readReport(`inject tsa -f ${file}`), wanted);
    assert.equal(await Deno.readTextFile(file), pod);
  }));

Deno.test("inject serviceaccount warns and passes on what it cannot change", async () => {
  const unnamed = pod.replace("name: web\n", "generateName: web-\n");
  const own = changed.slice(changed.indexOf("---"));
  assert.deepEqual(
    await readReport("inject tsa -f - -r os:admin", {
      stdin: `${unnamed}---\n${pod}${own}`,
    }),
    {
      out: `${unnamed}---\n${changed}`,
      err:
        `warning: Pod in "standard input", line 2 (document 1), is left unchanged: it has no name
warning: ServiceAccount "web-talos-secrets" in "standard input", line 21 (document 3), keeps its roles: os:reader
`,
      status: 0,
    },
  );
});

Deno.test("inject serviceaccount refuses a command line that is wrong", async () => {
  const missing = await readReport("inject serviceaccount");
  assert.match(missing.err, /^error: Flag --file is missing: /);
  assert.equal(missing.status, 2);
  assert.deepEqual(
    await readReport("inject tsa -f - -r os:reader,root,os:king"),
    {
      out: "",
      err: `error: Unknown roles "os:king", "root"
hint: Roles are os:admin, os:operator, os:reader, os:etcd:backup, os:impersonator
`,
      status: 2,
    },
  );
  const none = await readReport("inject tsa -f - --roles=");
  assert.match(none.err, /^error: Flag --roles is empty\nhint: Omit/);
  assert.equal(none.status, 2);
  assert.deepEqual(await readReport("inject tsa -f /nowhere/a.yaml"), {
    out: "",
    err: 'error: Cannot read "/nowhere/a.yaml": no such file\n',
    status: 2,
  });
});
