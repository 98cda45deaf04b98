import assert from "node:assert/strict";
import { injectServiceAccounts } from "../../../config/inject/service_accounts.ts";
import type { Role } from "../../../pki/roles.ts";

function inject(text: string, roles: readonly Role[] = ["os:reader"]) {
  return injectServiceAccounts(text, { file: "app.yaml", roles });
}

const podOnOneLine =
  "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a}]}}";
const changedPod =
  "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, volumeMounts: [{name: talos-secrets, mountPath: /var/run/secrets/talos.dev}]}], volumes: [{name: talos-secrets, secret: {secretName: p-talos-secrets}}]}}";
const account = `apiVersion: talos.dev/v1alpha1
kind: ServiceAccount
metadata:
  name: p-talos-secrets
spec:
  roles:
    - os:reader
`;

Deno.test("injection adds to what people wrote and keeps comments, the order of keys and values", () => {
  const text = `# Our web server
---
apiVersion: v1
kind: ConfigMap
metadata: {name:   web}
data:
  "a": 'b'   # quoted
---
# Source: web.yaml
kind: Deployment   # first
apiVersion: "apps/v1"
metadata:
    namespace: "12"
    name: web
spec:
    template:
        spec:
            initContainers:
                - name: init
                  # nothing else

            volumes: # of the pod
                - name: data
                  emptyDir: {}
            containers:
                - image: web
                  name: web
                  volumeMounts: [ {name: data, mountPath: /data} ]  # one
    replicas: 0x3
`;
  assert.deepEqual(inject(text, ["os:admin", "os:etcd:backup"]), {
    text: `# Our web server
---
apiVersion: v1
kind: ConfigMap
metadata: {name:   web}
data:
  "a": 'b'   # quoted
---
# Source: web.yaml
kind: Deployment # first
apiVersion: "apps/v1"
metadata:
    namespace: "12"
    name: web
spec:
    template:
        spec:
            initContainers:
                - name: init
                  volumeMounts:
                      - name: talos-secrets
                        mountPath: /var/run/secrets/talos.dev
                  # nothing else

            volumes:
                # of the pod
                - name: data
                  emptyDir: {}
                - name: talos-secrets
                  secret:
                      secretName: web-talos-secrets
            containers:
                - image: web
                  name: web
                  volumeMounts: [ { name: data, mountPath: /data }, { name: talos-secrets, mountPath: /var/run/secrets/talos.dev } ] # one
    replicas: 0x3
---
apiVersion: talos.dev/v1alpha1
kind: ServiceAccount
metadata:
    name: web-talos-secrets
    namespace: "12"
spec:
    roles:
        - os:admin
        - os:etcd:backup
`,
    warnings: [],
  });
});

Deno.test("injection says when a service account that is there has other roles", () => {
  const both = `${podOnOneLine}\n---\n${podOnOneLine}\n---\n${account}`;
  assert.deepEqual(inject(both, ["os:admin"]).warnings, [
    'ServiceAccount "p-talos-secrets" in "app.yaml", line 5 (document 3), keeps its roles: os:reader',
  ]);
  const none = account.replace(/spec:[^]*/, "");
  assert.deepEqual(inject(`${podOnOneLine}\n---\n${none}`).warnings, [
    'ServiceAccount "p-talos-secrets" in "app.yaml", line 3 (document 2), keeps its roles: none',
  ]);
});

Deno.test("injection adds service accounts to lists, and behind lists of one type", () => {
  assert.equal(
    inject(`apiVersion: v1\nkind: List\nitems:\n- ${podOnOneLine}\n`).text,
    `apiVersion: v1
kind: List
items:
- ${changedPod}
- apiVersion: talos.dev/v1alpha1
  kind: ServiceAccount
  metadata:
    name: p-talos-secrets
  spec:
    roles:
    - os:reader
`,
  );
  const typed = (pod: string) =>
    `apiVersion: v1\nkind: PodList\nitems:\n  - ${
      pod.replace("apiVersion: v1, kind: Pod, ", "")
    }\n`;
  assert.equal(
    inject(typed(podOnOneLine)).text,
    `${typed(changedPod)}---\n${account}`,
  );
});

Deno.test("injection leaves objects it cannot change, and says so", () => {
  const text = `apiVersion: v1
kind: Pod
metadata: {generateName: p-}
---
apiVersion: v1
kind: List
items:
- apiVersion: apps/v1
  kind: DaemonSet
  metadata: {name: d}
`;
  assert.deepEqual(inject(text), {
    text,
    warnings: [
      'Pod in "app.yaml", line 1 (document 1), is left unchanged: it has no name',
      'DaemonSet "d" in "app.yaml", line 8 (document 2), is left unchanged: "spec.template.spec" is not a mapping',
    ],
  });
});

Deno.test("injection says when there is nothing to do", () => {
  assert.deepEqual(inject("a: b\n\n\n"), {
    text: "a: b\n",
    warnings: [
      '"app.yaml" contains none of v1/Pod, apps/v1/Deployment, apps/v1/StatefulSet, apps/v1/DaemonSet, batch/v1/Job, batch/v1/CronJob',
    ],
  });
  assert.equal(inject("").text, "");
});

Deno.test("injection says when it had to write aliases out", () => {
  const list = `# c
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: a}
  spec: &spec {volumes: [{name: x}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: b}
  spec: *spec
`;
  const { text, warnings } = inject(list);
  assert.deepEqual(warnings, [
    '"app.yaml", line 2 (document 1), is reformatted, and its aliases are expanded',
  ]);
  assert.match(text, /^# c\n/);
  assert.match(text, /secretName: a-talos-secrets[^]*secretName: b-talos/);
});

Deno.test("injection replaces what is called like its own, keeps its comments and comes last", () => {
  const { text } = inject(`apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  volumes:
  - name: talos-secrets # a
    emptyDir: {} # b
  # c
  - name: x
  - name: talos-secrets # d
`);
  assert.match(
    text,
    /volumes:\n {2}# a\n {2}# b\n {2}# c\n {2}- name: x\n {2}# d\n {2}- name: talos-secrets\n {4}secret:\n/,
  );
});

Deno.test("injection keeps aliases that stand for the same as before", () => {
  const text = `apiVersion: v1
kind: Pod
metadata:
  name: p
  labels: &labels {app: "12", size: 012}
  annotations: *labels
spec: &spec
  containers:
  - &a {name: a}
copy: *spec
`;
  const { text: after, warnings } = inject(
    text.replace("copy: *spec\n", ""),
  );
  assert.deepEqual(warnings, []);
  assert.match(
    after,
    /labels: &labels \{app: "12", size: 012\}\n {2}annotations: \*labels\n/,
  );
  assert.match(inject(text).text, /\ncopy:\n {2}containers:\n {2}- /);
  assert.equal(inject(text).warnings.length, 1);
});

Deno.test("injection keeps long numbers of JSON and its layout", () => {
  const pod =
    '{\n\t"apiVersion": "v1",\n\t"kind": "Pod",\n\t"metadata": {\n\t\t"name": "p"\n\t},\n\t"x": [\n\t\t12345678901234567890,\n\t\t1.50\n\t],\n\t"spec": {}\n}\n';
  assert.equal(
    inject(pod).text.split("---\n")[0],
    pod.replace(
      "{}",
      '{\n\t\t"volumes": [\n\t\t\t{\n\t\t\t\t"name": "talos-secrets",\n\t\t\t\t"secret": {\n\t\t\t\t\t"secretName": "p-talos-secrets"\n\t\t\t\t}\n\t\t\t}\n\t\t]\n\t}',
    ),
  );
});

Deno.test("injection tells why an object stays as it is", () => {
  const pod = (spec: string) =>
    `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: ${spec}}\n`;
  const faults: Readonly<Record<string, string>> = {
    "{apiVersion: v1, kind: Pod, metadata: {name: 12}}\n":
      "its name is not a string",
    [pod("{containers: 1}")]: '"spec.containers" is not a list',
    [pod("{volumes: {}}")]: '"spec.volumes" is not a list',
    [pod("{initContainers: [a]}")]: '"spec.initContainers[0]" is not a mapping',
    [pod("{containers: [{}, {volumeMounts: a}]}")]:
      '"spec.containers[1].volumeMounts" is not a list',
  };
  for (const [text, fault] of Object.entries(faults)) {
    const { text: after, warnings } = inject(text);
    assert.equal(after, text);
    assert.equal(warnings[0]?.split("is left unchanged: ")[1], fault);
  }
});
