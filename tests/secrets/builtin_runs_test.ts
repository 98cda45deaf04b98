/** Every runbook of the program is planned, run and rehearsed with markers: nothing printed or written holds one. */

import assert from "node:assert/strict";
import { learnSecret } from "../../config/documents/load.ts";
import { sharedSecrets } from "../../workflows/rehearsal/model/shared_secrets.ts";
import { logRaw } from "../../simulator/node/logs.ts";
import { builtinNames } from "../../workflows/runbooks/builtin/shipped.ts";
import { testAuthority } from "../_authorities.ts";
import { withFolder } from "../_folder.ts";
import { start } from "../_osctl.ts";
import { run } from "../_run.ts";
import {
  runbook as runbookOf,
  type RunHome,
  withRunHome,
} from "../commands/runbook/_home.ts";
import { filesBelow, leaksIn } from "./_planted.ts";

/** What the nodes are told that nobody else may know. */
const planted = `machine:
  env: {TOKEN: pl4nt-in-env, HTTPS_PROXY: "http://user:pl4nt-pass@10.0.0.9:3128"}
  files:
  - {path: /var/pl, op: create, permissions: 0o600, content: "password=pl4nt-in-file\\n"}
  systemDiskEncryption:
    state:
      provider: luks2
      keys: [{slot: 0, static: {passphrase: pl4nt-passphrase}}]
  registries:
    config:
      registry.example:
        auth: {username: user, password: pl4nt-registry, auth: pl4nt-auth, identityToken: pl4nt-identity}
cluster:
  inlineManifests:
  - {name: a, contents: "kind: Secret\\nstringData: {a: pl4nt-in-manifest}\\n"}
---
apiVersion: v1alpha1
kind: RegistryAuthConfig
name: other.example
username: user
password: pl4nt-registry-document
---
apiVersion: v1alpha1
kind: WireguardConfig
name: wg0
privateKey: ${btoa("pl4nt-wireguard".padEnd(32, "."))}
up: true
---
apiVersion: v1alpha1
kind: UserVolumeConfig
name: data
provisioning: {diskSelector: {match: "!system_disk"}, minSize: 1GiB}
encryption:
  provider: luks2
  keys: [{slot: 0, static: {passphrase: pl4nt-volume}}]
---
apiVersion: v1alpha1
kind: ExtensionServiceConfig
name: agent
configFiles: [{content: "token: pl4nt-extension-file", mountPath: /etc/agent}]
environment: [TOKEN=pl4nt-extension]
`;

/** What a rollout brings to nodes without a reboot. */
const patch =
  "machine: {registries: {config: {third.example: {auth: {username: u, password: pl4nt-rolled}}}}}\n";

/** A secret input that cannot be used. */
const garbage = "-----BEGIN EC PRIVATE KEY-----\npl4nt-garbage\n";

const formats = ["table", "json", "jsonl", "yaml"] as const;

/** How a runbook is carried out; FOLDER stands for the folder with the files, NODE for the control plane. */
interface Case {
  /** What is given to a run on nodes that listen, and, but for approvals, to a plan. */
  readonly real: readonly string[];
  /** What a run says that is refused; absent when it succeeds. */
  readonly refused?: RegExp;
  /** What is given to rehearsals; none where the runbook needs the user's own osconfig. */
  readonly rehearsals: readonly (readonly string[])[];
}

const single = ["-i=singleControlPlane=true", "-i=soak=0s"];
const small = "--cluster=sim:1cp+1w";
const authorities = ["--secret=osCA=@FOLDER/os", "--secret=k8sCA=@FOLDER/k8s"];
const rotated = [
  "-i=osconfig=FOLDER/given-osconfig",
  "-i=secretsOut=FOLDER/given-secrets",
];

const cases: Readonly<Record<string, Case>> = {
  "certificate-renewal": {
    real: ["-i=kubeconfig=FOLDER/given-kubeconfig"],
    rehearsals: [],
  },
  "cluster-reboot": {
    real: ["-i=only=workers", "-i=soak=0s"],
    rehearsals: [[small, ...single]],
  },
  "config-rollout": {
    real: ["-i=patch=FOLDER/patch", "-i=soak=0s"],
    rehearsals: [[small, "-i=patch=FOLDER/patch"]],
  },
  "etcd-recovery": {
    real: ["-i=cluster=simulated"],
    refused: /etcd still has quorum/,
    rehearsals: [[
      ...["--cluster=sim:3cp", "-i=cluster=demo"],
      ...["--fault=etcd/cp-2: unhealthy", "--fault=etcd/cp-3: unhealthy"],
    ]],
  },
  "node-reboot": { real: [], rehearsals: [[small]] },
  "node-upgrade": { real: [], rehearsals: [[small]] },
  "replace-controlplane": {
    real: ["-i=old=NODE"],
    refused: /This is the only control plane/,
    rehearsals: [[
      ...["--cluster=sim:2cp", "-i=old=demo-controlplane-2"],
      "--fault=node/controlplane: joins @ bring",
    ]],
  },
  "rolling-upgrade": {
    real: [...single, "-i=version=VERSION"],
    rehearsals: [[small, ...single, "-i=version=v1.13.6"]],
  },
  "rotate-ca": {
    real: [...rotated, "--secret=osCA=@FOLDER/garbage"],
    refused: /Cannot read/,
    rehearsals: [
      [small, ...rotated, ...authorities],
      [small, ...rotated, ...authorities, "-i=os=false", "-i=kubernetes=true"],
    ],
  },
  "rotate-kubernetes-ca": {
    real: ["--secret=ca=@FOLDER/garbage"],
    refused: /Cannot read/,
    rehearsals: [[small, "--secret=ca=@FOLDER/k8s"]],
  },
};

const approvals = [
  ...["--yes", "--yes-destructive=allow-single-member-downtime:simulated"],
];

const os = await testAuthority();
const k8s = await testAuthority(undefined, "ECDSA");

/** Files that runbooks are given. */
const files: Readonly<Record<string, string>> = {
  patch,
  garbage,
  os: os.pem + os.key,
  k8s: k8s.pem + k8s.key,
  // They work on one node.
  "node-reboot": ofWorkers("node-reboot", "soak: 0s"),
  "node-upgrade": ofWorkers("node-upgrade", "soak: 0s, version: v1.13.6"),
};

function ofWorkers(name: string, values: string): string {
  return runbookOf(`  - id: each
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps: [{ id: node, use: "builtin:${name}", with: { ${values} } }]
`);
}

/** What must stand nowhere beside markers and private keys: values of configurations and of files. */
function secretsIn(texts: Iterable<string>): ReadonlySet<string> {
  const secrets = new Set<string>();
  for (const text of texts) {
    learnSecret(text, { add: (secret) => void secrets.add(String(secret)) });
  }
  return secrets;
}

/** Finds markers, other secrets and private keys. */
function found(text: string, secrets: ReadonlySet<string>): readonly string[] {
  const keys =
    text.match(/-----BEGIN [A-Z ]*PRIVATE KEY|LS0tLS1CRUdJTi(?!BDRVJU)/g) ?? [];
  const own = [...secrets].filter((secret) =>
    text.includes(secret) ||
    text.includes(JSON.stringify(secret).slice(1, -1))
  );
  return [...leaksIn(text), ...keys, ...own];
}

/** What is said and written in the course of a test; what is found in it, by where it is. */
class Heard {
  readonly leaks: [where: string, ...found: string[]][] = [];

  constructor(readonly secrets: ReadonlySet<string>) {}

  add(where: string, text: string): void {
    const some = found(text, this.secrets);
    if (some.length > 0) this.leaks.push([where, ...some]);
  }

  async addFiles(folder: string): Promise<number> {
    const paths = await filesBelow(folder);
    for (const path of paths) {
      const bytes = await Deno.readFile(path);
      this.add(path, new TextDecoder("latin1").decode(bytes));
    }
    return paths.length;
  }
}

/** Puts markers into all nodes, and begins to listen. */
async function listenAt({ cluster, write, osctl }: RunHome): Promise<Heard> {
  const path = await write(planted, "planted");
  const all = cluster.nodes.map(({ identity }) => identity.address).join(",");
  const line =
    `patch mc -p @${path} --mode=staged --allow=same-file --nodes ${all}`;
  const set = await osctl(line);
  assert.equal(set.status, 0, set.err);
  for (const { identity } of cluster.nodes) {
    await cluster.reboot(identity.address);
  }
  for (const [name, text] of Object.entries(files)) await write(text, name);
  const texts = cluster.nodes.map(({ disk }) => disk.configuration ?? "");
  assert.ok(texts.every((text) => text.includes("pl4nt-in-env")));
  const heard = new Heard(secretsIn([...texts, cluster.adminIdentity.key]));
  assert.ok(heard.secrets.size > 20, `${heard.secrets.size}`);
  return heard;
}

/** Name for the command line. */
function sourceOf(name: string, folder: string): string {
  return name.startsWith("node-") ? `${folder}/${name}` : `builtin:${name}`;
}

for (const name of builtinNames) {
  const { real, refused, rehearsals } = cases[name] ?? assert.fail(name);

  Deno.test(`builtin:${name}: neither plan nor run shows or keeps a marker`, () =>
    withRunHome(async (at) => {
      const { home, osctl, ids, cluster, osconfig } = at;
      const heard = await listenAt(at);
      const given = (more: string) =>
        real.map((word) =>
          word.replace("FOLDER", home).replace("VERSION", more)
            .replace("NODE", cluster.nodes[0]?.identity.hostname ?? "")
        );
      const source = sourceOf(name, home);
      for (const format of [...formats, "html"]) {
        const line = ["runbook", "plan", source, ...given("v1.13.4")];
        const { out, err } = await osctl([...line, "-o", format]);
        assert.notEqual(out, "", err);
        heard.add(`plan -o ${format}`, out + err);
      }
      for (const [index, format] of formats.entries()) {
        const told = `${home}/told-${format}`;
        const line = [
          ...["runbook", "run", source, ...given(`v1.13.${4 + index}`)],
          ...[...approvals, "-o", format],
          ...[`--events-file=${told}/events`, `--junit=${told}/junit`],
        ];
        await Deno.mkdir(told);
        const known = await ids();
        // What a process has not read, it cannot hide: one of them begins with nothing.
        const ran = index === 0
          ? await alone({ OSCONFIG: osconfig, OS_HOME: home }, line)
          : await osctl(line);
        heard.add(`run -o ${format}`, ran.out + ran.err);
        if (refused === undefined) assert.equal(ran.status, 0, ran.err);
        else {
          assert.notEqual(ran.status, 0);
          assert.match(ran.out + ran.err, refused);
        }
        const [id = ""] = (await ids()).filter((one) => !known.includes(one));
        if (ran.status !== 0) {
          const given = await osctl(
            `runbook abort ${id} --reason=x --typed=${id}`,
          );
          heard.add("abort", given.out + given.err);
        }
        for (
          const line of [
            `show ${source}`,
            `status ${id}`,
            `events ${id}`,
            `events ${told}/events`,
            "history",
          ]
        ) {
          const { out, err } = await osctl(`runbook ${line} -o ${format}`);
          assert.notEqual(out, "", err);
          heard.add(`${line} -o ${format}`, out + err);
        }
        assert.equal(await heard.addFiles(told), 2);
      }
      const count = await heard.addFiles(`${home}/runs`);
      assert.ok(count >= formats.length * 5, `${count} files`);
      assert.deepEqual(heard.leaks, []);
    }, { workers: 1 }));

  for (const [index, words] of rehearsals.entries()) {
    Deno.test(`builtin:${name}: rehearsal ${index + 1} shows and writes no secret`, () =>
      withFolder(files, async (folder) => {
        const { authority: _, ...shared } = await sharedSecrets();
        const heard = new Heard(
          secretsIn([os.key, k8s.key, ...textsIn(shared)]),
        );
        assert.ok(heard.secrets.size > 10, `${heard.secrets.size}`);
        for (const format of ["text", "json", "html"]) {
          const report = `${folder}/report-${format}`;
          const { out, err, status } = await run([
            ...["runbook", "rehearse", sourceOf(name, folder)],
            ...words.map((word) => word.replace("FOLDER", folder)),
            ...[`--report=${report}`, "-o", format],
          ]);
          assert.equal(status, 0, out + err);
          heard.add(`-o ${format}`, out + err);
          assert.equal(await heard.addFiles(report), 2);
        }
        assert.deepEqual(heard.leaks, []);
      }));
  }
}

Deno.test("a support bundle of a process that knew nothing holds no marker that nodes logged", () =>
  withRunHome(async (at) => {
    const { home, cluster, osconfig, write } = at;
    const heard = await listenAt(at);
    for (const node of cluster.nodes) {
      logRaw(node, "init says pl4nt-in-env, pl4nt-passphrase");
    }
    const path = await write(runbookOf(collecting), "collecting");
    const line = ["runbook", "run", path, "--yes"];
    const ran = await alone({ OSCONFIG: osconfig, OS_HOME: home }, line);
    assert.notEqual(ran.status, 0);
    heard.add("run", ran.out + ran.err);
    await heard.addFiles(`${home}/runs`);
    const log = (await filesBelow(`${home}/runs`))
      .find((file) => file.endsWith("/kernel.log")) ?? assert.fail(ran.err);
    assert.match(await Deno.readTextFile(log), /init says \*{6}, \*{6}/);
    assert.deepEqual(heard.leaks, []);
  }, { workers: 1 }));

const collecting = `  - id: all
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: look, assert: { that: "false", message: no } }
    rescue:
      - { id: evidence, run: node.collectSupport }
`;

async function alone(
  env: Readonly<Record<string, string>>,
  line: readonly string[],
) {
  const child = start(
    { env: { ...Deno.env.toObject(), ...env } },
    line.join(" "),
  );
  const { stdout, stderr, code } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { out: text(stdout), err: text(stderr), status: code };
}

/** Long texts in a value: keys and tokens. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return value.length >= 16 ? [value] : [];
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap(textsIn)
    : [];
}
