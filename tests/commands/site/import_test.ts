import assert from "node:assert/strict";
import { renderSecrets } from "../../../config/generate/secrets_file.ts";
import { someSecrets } from "../../config/generate/_bundle.ts";
import { run } from "../../_run.ts";
import { withWire } from "../../_wire.ts";
import { testIdentity, testRecipient } from "../../config/_sops_files.ts";
import { fakeSiteEnvironment, withFiles } from "../../workflows/site/_site.ts";
import { encryptByRule } from "../../../config/sops/file.ts";

const talconfig = `clusterName: home
endpoint: https://\${VIP}:6443
talosVersion: v1.13.9
kubernetesVersion: \${K8S:-1.36.3}
domain: home.internal
clusterPodNets: [10.42.0.0/16]
cniConfig: {name: none}
patches:
  - "@./patches/time.yaml"
  - "machine: {sysctls: {a.b: all}}"
controlPlane:
  schematic:
    customization: {systemExtensions: {officialExtensions: [siderolabs/iscsi-tools]}}
  patches: ["@patches/etcd.yaml"]
worker:
  nodeLabels: {disk: fast}
  machineSpec: {arch: arm64, secureboot: true}
  certSANs: [worker.example]
nodes:
  - hostname: cp-1
    ipAddress: 10.0.0.11, 10.1.0.11
    controlPlane: true
    installDisk: /dev/sda
    networkInterfaces:
      - interface: eth0
        addresses: [10.0.0.11/24]
        routes: [{network: 0.0.0.0/0, gateway: 10.0.0.1}]
        vip: {ip: "\${VIP}"}
  - hostname: w-1
    ipAddress: 10.0.0.21
    controlPlane: false
    installDisk: /dev/sdb
    nameservers: [1.1.1.1]
    machineFiles: [{path: /var/motd, op: create, permissions: 0o644, content: "@motd"}]
    patches:
      - |
        machine: {sysctls: {a.b: node, type: '{{ .MachineConfig.MachineType }}'}}
  - hostname: w-2
    ipAddress: 10.0.0.22
    installDiskSelector: {size: '> 1GB'}
    certSANs: [w-2.example]
    nodeLabels: {disk: slow}
    filenameTmpl: x.yaml
    nodeLabel: w
`;

const files = {
  "talconfig.yaml": talconfig,
  "talenv.yaml": "VIP: 10.0.0.10\nUSER=ann\n",
  "talsecret.yaml": renderSecrets(someSecrets),
  "patches/time.yaml": `# Clocks of the house.
machine:
  time: {servers: [time.example]} # anycast
`,
  "patches/etcd.yaml":
    "cluster:\n  etcd:\n    extraArgs: {listen-metrics-urls: 'http://${VIP}:2381'}\n",
  "motd": "Hello ${USER}\n",
};

function hostname(name: string): string {
  return `apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: ${name}\n`;
}

const expected = {
  "site.yaml": `# yaml-language-server: $schema=site.schema.json
# A cluster in git. All keys: osctl explain site
clusterName: home
talosVersion: v1.13.9
kubernetesVersion: 1.36.3
clusterEndpoint: https://10.0.0.10:6443
kubernetes:
    dnsDomain: home.internal
nodes:
    - host: cp-1
      ip: 10.0.0.11
      role: control-plane
      extensions:
        - siderolabs/iscsi-tools
    - host: w-1
      ip: 10.0.0.21
      role: worker
      secureboot: true
      labels:
        disk: fast
    - host: w-2
      ip: 10.0.0.22
      role: worker
      secureboot: true
      labels:
        disk: slow
`,
  "all/10-talconfig.yaml": `cluster:
    network:
        cni:
            name: none
        podSubnets:
            - 10.42.0.0/16
---
apiVersion: v1alpha1
kind: HostnameConfig
auto: "off"
`,
  "node/cp-1/talconfig.yaml": `machine:
    install:
        disk: /dev/sda
---
${hostname("cp-1")}---
apiVersion: v1alpha1
kind: LinkConfig
name: eth0
addresses:
    - address: 10.0.0.11/24
routes:
    - gateway: 10.0.0.1
---
apiVersion: v1alpha1
kind: Layer2VIPConfig
name: 10.0.0.10
link: eth0
`,
  "node/w-1/10-talconfig.yaml": `machine:
    certSANs:
        - worker.example
    install:
        disk: /dev/sdb
    files:
        - content: |
            Hello ann
          permissions: 0o644
          path: /var/motd
          op: create
---
${hostname("w-1")}---
apiVersion: v1alpha1
kind: ResolverConfig
nameservers:
    - address: 1.1.1.1
searchDomains:
    disableDefault: false
`,
  "node/w-2/talconfig.yaml": `machine:
    certSANs:
        - w-2.example
        - worker.example
    install:
        diskSelector:
            size: '> 1GB'
---
${hostname("w-2")}`,
  "control-plane/etcd.yaml": `cluster:
    etcd:
        extraArgs:
            listen-metrics-urls: http://10.0.0.10:2381
`,
  "node/w-1/20-w-1-1.yaml":
    "machine:\n    sysctls:\n        a.b: node\n        type: worker\n",
  "all/30-all-2.yaml": "machine: {sysctls: {a.b: all}}\n",
  // The order of talhelper: patches of all nodes win.
  "node/w-1/30-order.yaml": "machine:\n    sysctls:\n        a.b: all\n",
  ".gitignore": "# Not encrypted.\nsecrets.yaml\n",
};

Deno.test("site import keeps what talhelper makes, and says what has no equal", async () => {
  await withFiles(files, async (folder) => {
    const { out, err, status } = await run(
      `site import ${folder}/talconfig.yaml -o ${folder}/lab`,
    );
    assert.equal(
      err.replaceAll(`${folder}/`, ""),
      `warning: talconfig.yaml:17:17: Key "arch" has no equal (Only for boot media: choose it where you download them)
warning: talconfig.yaml:21:5: Address 10.1.0.11 of "cp-1" is left out (A node has one IP address)
warning: talconfig.yaml:43:5: Key "filenameTmpl" has no equal (Remove it: osctl site render -o writes files HOST.yaml)
warning: talconfig.yaml:44:5: Key "nodeLabel" is unknown to talhelper, too (Did you mean "nodeLabels"?)
The site renders to exactly these configurations
Not compared with a cluster: Cannot determine the path of "osconfig": HOME is not set
`,
    );
    assert.equal(status, 0);
    const made: Record<string, string> = {};
    for (const path of out.trim().split("\n")) {
      if (/(schema.json|secrets.yaml)$/.test(path)) continue;
      const name = path.slice(`${folder}/lab/`.length);
      made[name] = await Deno.readTextFile(path);
    }
    assert.deepEqual(made, {
      ...expected,
      "all/20-time.yaml": files["patches/time.yaml"],
    });
    const checked = await run(`site check --site ${folder}/lab`);
    assert.equal(checked.out, `${folder}/lab is valid, 3 nodes\n`);
  });
});

Deno.test("site import names variables that are not set, and missing secrets", async () => {
  const { "talenv.yaml": _, ...without } = files;
  await withFiles(without, async (folder) => {
    const line = `site import ${folder}/talconfig.yaml -o ${folder}/lab`;
    const { err, status } = await run(line);
    assert.equal(
      err.replaceAll(`${folder}/`, ""),
      `error: Cannot use the site:
  talconfig.yaml:2:11: Variable VIP is not set (Set it in talenv.yaml, or in the environment)
  talconfig.yaml:28:19: Variable VIP is not set (Set it in talenv.yaml, or in the environment)
`,
    );
    assert.equal(status, 2);
    await Deno.remove(`${folder}/talsecret.yaml`);
    const missing = await run(line);
    assert.equal(
      missing.err.replaceAll(`${folder}/`, ""),
      `error: There are no secrets: "talsecret.yaml" does not exist
hint: Generate some with: osctl gen secrets -o talsecret.yaml
`,
    );
    await assert.rejects(Deno.stat(`${folder}/lab`));
  });
});

Deno.test("site import reads an encrypted environment, and keeps its values out of git", async () => {
  await withFiles({
    ...files,
    ".sops.yaml": `creation_rules:\n  - age: ${testRecipient}\n`,
  }, async (folder) => {
    const path = `${folder}/talenv.sops.yaml`;
    const environment = fakeSiteEnvironment({ SOPS_AGE_KEY: testIdentity });
    const text = await encryptByRule("USER: hidden-name\n", path, environment);
    await Deno.writeTextFile(path, text ?? "");
    await Deno.remove(`${folder}/.sops.yaml`);
    const line = `site import ${folder}/talconfig.yaml -o ${folder}/lab`;
    const denied = await run(line);
    assert.match(denied.err, /^error: Cannot decrypt ".*talenv.sops.yaml": /);
    const env = { SOPS_AGE_KEY: testIdentity };
    const { err, status } = await run(line, {}, { env });
    assert.equal(status, 0, err);
    const name = "node/w-1/10-talconfig.yaml";
    assert.ok(
      err.includes(
        `warning: "${folder}/lab/${name}" has secrets: it is ignored`,
      ),
      err,
    );
    assert.ok(!err.includes("hidden-name"));
    assert.match(
      await Deno.readTextFile(`${folder}/lab/${name}`),
      /Hello hidden-name/,
    );
  });
});

Deno.test("site import keeps the order of many patches", async () => {
  const patches = Array.from(
    { length: 11 },
    (_, index) => `  - "machine: {sysctls: {last: '${index}'}}"\n`,
  );
  const some = {
    ...files,
    "talconfig.yaml": talconfig.replace(
      /^patches:\n( {2}.*\n)*/m,
      () => `patches:\n${patches.join("")}`,
    ),
  };
  await withFiles(some, async (folder) => {
    const { err } = await run(
      `site import ${folder}/talconfig.yaml -o ${folder}/lab`,
    );
    assert.match(err, /\nThe site renders to exactly these configurations\n/);
    const { out } = await run(`site render --site ${folder}/lab -n w-2`);
    assert.match(out, /^ {8}last: "10"$/m);
    await Deno.stat(`${folder}/lab/all/020-all-1.yaml`);
  });
});

Deno.test("site import ends with the differences to the live cluster", async () => {
  await withWire({ workers: 1 }, async ({ names, osctl }) => {
    const [cp = "", worker = ""] = names;
    await withFiles({
      "talconfig.yaml": `clusterName: simulated
endpoint: https://${cp}:6443
talosVersion: v1.12.11
kubernetesVersion: 1.34.1
patches:
  - "machine: {sysctls: {a.b: c}}"
nodes:
  - {hostname: simulated-controlplane-1, ipAddress: ${cp}, controlPlane: true, installDisk: /dev/vda, talosImageURL: ghcr.io/siderolabs/installer}
  - {hostname: simulated-worker-1, ipAddress: ${worker}, controlPlane: false, installDisk: /dev/vda, talosImageURL: ghcr.io/siderolabs/installer}
`,
    }, async (folder) => {
      await osctl(`site init ${folder}/live --from-live -n ${cp}`);
      await Deno.rename(
        `${folder}/live/secrets.yaml`,
        `${folder}/talsecret.yaml`,
      );
      const { err, status } = await osctl(
        `site import ${folder}/talconfig.yaml -o ${folder}/lab`,
      );
      const different = (node: string) =>
        `${node}: different
  configuration v1alpha1, no reboot
    @@ -18,6 +18,8 @@
             image: ghcr.io/siderolabs/installer:v1.12.11
             wipe: false
             grubUseUKICmdline: true
    +    sysctls:
    +        a.b: c
         features:
             diskQuotaSupport: true
             kubePrism:
`;
      assert.deepEqual(
        [err, status],
        [
          `The site renders to exactly these configurations
${different("simulated-controlplane-1 (controlplane)")}${
            different("simulated-worker-1 (worker)")
          }`,
          0,
        ],
      );
    });
  });
});
