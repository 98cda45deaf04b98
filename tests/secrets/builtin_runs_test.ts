/** Every runbook of the program is planned, run and rehearsed with markers: nothing printed or written holds one. */

import assert from "node:assert/strict";
import { encodeDocuments } from "../../config/documents/encode.ts";
import { documentKinds } from "../../config/documents/kinds.ts";
import { loadDocuments } from "../../config/documents/load.ts";
import { applyPatches, readPatch } from "../../config/patch.ts";
import { RpcError } from "../../errors.ts";
import type { ClusterOptions } from "../../simulator/cluster/cluster.ts";
import type { NodeAddress } from "../../simulator/state/node_address.ts";
import { machineConfig } from "../../simulator/state/machine_config.ts";
import { sharedSecrets } from "../../workflows/rehearsal/model/shared_secrets.ts";
import { logRaw } from "../../simulator/node/logs.ts";
import {
  builtinNames,
  builtinText,
} from "../../workflows/runbooks/builtin/builtin_runbooks.ts";
import { testCa } from "../_test_ca.ts";
import { withFolder } from "../_folder.ts";
import { start } from "../_osctl.ts";
import { run } from "../_run.ts";
import {
  runbook as runbookOf,
  type RunHome,
  withRunHome,
} from "../commands/runbook/_home.ts";
import { isTried, wanted } from "../_matrix.ts";
import { plantBeside, plantValid } from "./_planted_valid.ts";
import { Heard, secretsIn, textsIn } from "./_secret_search.ts";
import { formatsIn, linesAbout } from "./_runbook_lines.ts";
import {
  disclosed,
  filesBelow,
  plant,
  plantedValid,
  plantedVariables,
  quoteFrom,
} from "./_planted_secrets.ts";

/** The CA of Kubernetes, which nodes that have the document use. */
const without = "KubeAPIServerCAConfig";

/** In the configuration of every node: a marker in each field that may hold a secret, but for those that nodes need. */
const kinds = [...documentKinds.keys()].filter((kind) => kind !== without);
const planted = plant("run", kinds, true);

/** Documents of every kind that nodes accept. */
const valid = plantValid([without]);

/** The version that knows all of them. */
const newest = "1.14";

/** Runbooks that give nodes a configuration, which they check. */
const applying = /^(config-rollout|rotate-|upgrade-kubernetes)/;

/** Keys and tokens of all clusters here, which take long to make. */
const secrets = await sharedSecrets();

const patch =
  "machine: {registries: {config: {third.example: {auth: {username: u, password: pl4nt-rolled}}}}}\n";

/** Pairs of a runbook and a format: each format with some runbook; in the matrix with each. */
const tried = builtinNames.flatMap((name, index) =>
  formatsIn("run").flatMap((format, at, { length }) => {
    const isFirst = at === index % length;
    return isFirst || wanted === "all"
      ? [{ name, index, at, format, isFirst }]
      : [];
  })
).filter((_, index) => isTried(index));

/** Command line of a runbook; FOLDER stands for the folder with the files. */
interface Case {
  /** Call that a node refuses once; default the first that changes something. */
  readonly refuses?: string;
  readonly real?: readonly string[];
  /** The cluster of the run; default a control plane and a worker. */
  readonly cluster?: ClusterOptions;
  readonly meanwhile?: (home: RunHome) => Promise<void>;
  readonly rehearsal: readonly string[];
}

const single = ["-i=singleControlPlane=true", "-i=soak=0s"];
const small = "--cluster=sim:1cp+1w";
const newer = ["-i=version=v1.34.2"];
const rotated = [
  "-i=osconfig=FOLDER/given-osconfig",
  "-i=secretsOut=FOLDER/given-secrets",
  "-i=kubernetes=true",
  ...["--secret=osCA=@FOLDER/os", "--secret=k8sCA=@FOLDER/k8s"],
];

const cases: Readonly<Record<string, Case>> = {
  "certificate-renewal": {
    refuses: "GenerateClientConfiguration",
    real: ["-i=kubeconfig=FOLDER/given-kubeconfig"],
    rehearsal: [small, "-i=kubeconfig=FOLDER/given-kubeconfig"],
  },
  "cluster-reboot": {
    real: ["-i=only=workers", "-i=soak=0s"],
    rehearsal: [small, ...single],
  },
  "config-rollout": {
    real: ["-i=patch=FOLDER/patch", "-i=soak=0s"],
    rehearsal: [small, "-i=patch=FOLDER/patch"],
  },
  "etcd-recovery": {
    refuses: "EtcdSnapshot",
    real: ["-i=cluster=simulated", "-i=evenIfQuorum=true"],
    rehearsal: [
      ...["--cluster=sim:3cp", "-i=cluster=demo"],
      ...["--fault=etcd/cp-2: unhealthy", "--fault=etcd/cp-3: unhealthy"],
    ],
  },
  "node-reboot": { rehearsal: [small] },
  "node-upgrade": { rehearsal: [small] },
  "replace-controlplane": {
    refuses: "EtcdSnapshot",
    real: ["-i=old=simulated-controlplane-2"],
    cluster: {
      ...{ controlplanes: 3, workers: 1 },
      unconfigured: (index) => index === 2,
    },
    async meanwhile({ cluster }) {
      const [, , node] = cluster.nodes;
      assert.ok(node);
      node.disk.configured = true;
      await cluster.reboot(node.identity.address);
    },
    rehearsal: [
      ...["--cluster=sim:2cp", "-i=old=demo-controlplane-2"],
      "--fault=node/controlplane: joins @ bring",
    ],
  },
  "rolling-upgrade": {
    refuses: "EtcdSnapshot",
    real: [...single, "-i=version=v1.13.4"],
    rehearsal: [small, ...single, "-i=version=v1.13.6"],
  },
  "rotate-ca": { real: rotated, rehearsal: [small, ...rotated] },
  "rotate-kubernetes-ca": {
    real: ["--secret=ca=@FOLDER/k8s"],
    rehearsal: [small, "--secret=ca=@FOLDER/k8s"],
  },
  "upgrade-kubernetes": { real: newer, rehearsal: [small, ...newer] },
};

const approvals = [
  "--yes",
  ...[
    "allow-single-member-downtime:simulated",
    "allow-etcd-quorum:simulated",
    "allow-destroy-etcd-data:simulated",
    "destroy:simulated",
    "replace:simulated-controlplane-2",
    "drop:simulated",
    "drop-kubernetes:simulated",
  ].map((one) => `--yes-destructive=${one}`),
];

const os = await testCa();
const k8s = await testCa(undefined, "ECDSA");

/** Files that runbooks are given. */
const files: Readonly<Record<string, string>> = {
  patch,
  os: os.pem + os.key,
  k8s: k8s.pem + k8s.key,
  // They work on one node.
  "node-reboot": ofWorkers("node-reboot", "soak: 0s"),
  "node-upgrade": ofWorkers("node-upgrade", "soak: 0s, version: v1.13.4"),
};

function ofWorkers(name: string, values: string): string {
  return runbookOf(`  - id: each
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps: [{ id: node, use: "builtin:${name}", with: { ${values} } }]
`);
}

/** Nodes with addresses of this machine, since the new client of a rotated CA dials them. */
function addresses(index: number): NodeAddress {
  const address = `127.77.${Deno.pid % 250}.${2 + index}`;
  return { host: address, port: 50_000, address };
}

/** Files in the home that need not be searched: those that runs were given, and those that were asked for. */
const asked: ReadonlySet<string> = new Set([
  ...Object.keys(files),
  ...Object.keys(disclosed.files),
]);

type Content = "all" | "main" | "others";

function turnContent(name: string, turn: number): Content {
  if (!applying.test(name)) return "all";
  // In the matrix each of these runbooks has both.
  return (builtinNames.indexOf(name) + turn) % 2 === 0 ? "others" : "main";
}

/** Puts markers into all nodes, and begins to listen. */
async function listenAt(
  { cluster, write }: RunHome,
  content: Content = "all",
): Promise<Heard> {
  const text = { all: planted.text, main: plantedValid, others: "" }[content];
  const own = loadDocuments(text, "planted").documents;
  const texts: string[] = [];
  let left = [...valid.texts.keys()];
  for (const node of cluster.nodes) {
    // Where both set a value, the one of the node stays.
    const needed = readPatch(machineConfig(node), node.identity.hostname);
    const all = content === "others"
      ? plantBeside(valid, needed, newest)
      : { ...applyPatches(own, [needed]), left: [] };
    left = left.filter((kind) => all.left.includes(kind));
    const whole = encodeDocuments(all.documents);
    texts.push(whole);
    node.disk.configuration = whole;
    if (node.disk.configured) await cluster.reboot(node.identity.address);
    logRaw(node, `init says ${quoteFrom(whole).replaceAll("\n", " ")}`);
  }
  assert.deepEqual(left, []);
  for (const [name, text] of Object.entries(files)) await write(text, name);
  const heard = new Heard(secretsIn([...texts, cluster.adminIdentity.key]));
  assert.ok(heard.secrets.size > 40, `${heard.secrets.size}`);
  return heard;
}

/** A call is refused, with words about the configuration. */
function refuseOnce(
  at: RunHome,
  { meanwhile, refuses }: Case,
  code: RpcError["code"] = "UNAVAILABLE",
): void {
  let isRefused = false;
  const [first] = at.cluster.nodes;
  assert.ok(first);
  first.cluster.onCall = ({ node, method, mutating }) => {
    if (method === "Reset") void meanwhile?.(at);
    const isWanted = refuses === undefined ? mutating : method === refuses;
    if (isRefused || !isWanted) return;
    isRefused = true;
    const quoted = quoteFrom(node.disk.configuration ?? "");
    const unsent = code === "UNAVAILABLE" && refuses === undefined;
    const text = 'connection error: desc = "transport: Error while dialing';
    const shown = unsent ? `${text}: dial tcp: ` : "";
    throw new RpcError(code, `${shown}not now: ${quoted}`);
  };
}

/** Name for the command line; waits that only prolong a run are omitted. */
async function writeSource(name: string, folder: string): Promise<string> {
  if (name.startsWith("node-")) return `${folder}/${name}`;
  if (!quick.has(name)) return `builtin:${name}`;
  const path = `${folder}/${name}.runbook.yaml`;
  const text = builtinText(name) ?? assert.fail(name);
  await Deno.writeTextFile(
    path,
    text.replace(/holdFor: \d+\w/g, "holdFor: 0s"),
  );
  return path;
}

const quick = new Set(["etcd-recovery", "replace-controlplane"]);

for (const { name, index, at: turn, format, isFirst } of tried) {
  const one = cases[name] ?? assert.fail(name);
  const { real = [], cluster = { workers: 1 }, rehearsal } = one;
  const content = turnContent(name, turn);

  Deno.test(`builtin:${name} -o ${format}: neither plan nor run shows or keeps a marker`, () =>
    withRunHome(async (at) => {
      const { home, osctl, ids } = at;
      const heard = await listenAt(at, content);
      const source = await writeSource(name, home);
      const given = real.map((word) => word.replace("FOLDER", home));
      const said = async (line: readonly string[]) => {
        const { out, err, status } = await osctl(line);
        // Not every row has a name.
        const isNames = line.includes("name");
        assert.ok(isNames || out !== "", `${line.join(" ")}: ${err}`);
        heard.add(line.join(" "), out + err);
        return { status, err };
      };
      const plans = formatsIn("plan");
      for (const [at, drawn] of plans.entries()) {
        const isMine = wanted === "all"
          ? turn === 0
          : at === index % plans.length;
        if (isMine) {
          await said(["runbook", "plan", source, ...given, "-o", drawn]);
        }
      }
      refuseOnce(at, one);
      const reported = `${home}/told`;
      await Deno.mkdir(reported);
      const outputs = [
        ...[...approvals, "-o", format],
        ...[`--events-file=${reported}/events`, `--junit=${reported}/junit`],
      ];
      const ran = await said(["runbook", "run", source, ...given, ...outputs]);
      assert.equal(ran.status, 0, ran.err);
      const [id = ""] = await ids();
      await said(["runbook", "events", `${reported}/events`]);
      for (const format of formatsIn("status")) {
        for (const line of [["status", id], ["events", id], ["history"]]) {
          await said(["runbook", ...line, "-o", format]);
        }
      }
      await said(["runbook", "show", source, "-o", format]);
      const count = await heard.addFiles(home, asked);
      assert.ok(count >= 8, `${count} files`);
      assert.deepEqual(heard.leaks, []);
      const events = await Deno.readTextFile(`${reported}/events`);
      assert.match(events, /(?:not now|cannot connect): .*\*{6}/);
      if (!isFirst || index > 0 && wanted !== "all") return;
      for (const line of linesAbout({ run: id, source, home })) {
        const { out, err } = await osctl(line);
        heard.add(line.join(" "), out + err);
      }
      await heard.addFiles(home, asked);
      assert.deepEqual(heard.leaks, []);
    }, {
      ...{ secrets, addresses, ...cluster },
      ...content === "others" && { release: { tag: `v${newest}.0` } },
    }));

  if (!isFirst) continue;
  Deno.test(`builtin:${name}: a rehearsal shows and writes no secret`, () =>
    withFolder(files, async (folder) => {
      const { osCa: _, ...shared } = secrets;
      const heard = new Heard(
        secretsIn([os.key, k8s.key, ...textsIn(shared)]),
      );
      assert.ok(heard.secrets.size > 10, `${heard.secrets.size}`);
      const report = `${folder}/report`;
      const { out, err, status } = await run([
        ...["runbook", "rehearse", await writeSource(name, folder)],
        ...rehearsal.map((word) => word.replace("FOLDER", folder)),
        `--report=${report}`,
      ]);
      assert.equal(status, 0, out + err);
      heard.add("rehearsal", out + err);
      assert.equal(await heard.addFiles(report), 2);
      assert.deepEqual(heard.leaks, []);
    }));
}

Deno.test("the runbooks are planned and run in every format there is", () => {
  assert.ok(builtinNames.length >= formatsIn("plan").length);
  assert.deepEqual(
    new Set(tried.map(({ format }) => format)),
    wanted === undefined
      ? new Set(formatsIn("run"))
      : new Set(tried.map(({ format }) => format)),
  );
});

Deno.test("a process that knew nothing keeps no marker that a node quotes or logs, and its support bundle holds none", () =>
  withRunHome(async (at) => {
    const { home, osconfig, write } = at;
    const heard = await listenAt(at);
    const input = "inputs: { key: { type: secret, required: true } }\n";
    const path = await write(runbookOf(collecting, input), "collecting");
    refuseOnce(at, { refuses: "Reboot", rehearsal: [] }, "INVALID_ARGUMENT");
    const line = ["runbook", "run", path, "--yes", "--secret=key=env:OWN"];
    const env = { ...plantedVariables, OWN: "pl4nt-own", NO_PROXY: "*" };
    const paths = { OSCONFIG: osconfig, OS_HOME: home };
    const ran = await alone({ ...env, ...paths }, line);
    assert.notEqual(ran.status, 0);
    heard.add("run", ran.out + ran.err);
    await heard.addFiles(`${home}/runs`);
    const log = (await filesBelow(`${home}/runs`))
      .find((file) => file.endsWith("/kernel.log")) ?? assert.fail(ran.err);
    assert.match(await Deno.readTextFile(log), /init says .*\*{6}.*\*{6}/);
    assert.match(ran.out + ran.err, /not now: .*\*{6}/);
    assert.deepEqual(heard.leaks, []);
  }, { workers: 1 }));

const collecting = `  - id: all
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: restart, run: reboot }
    rescue:
      - { id: evidence, run: node.collectSupport }
`;

async function alone(own: Record<string, string>, line: readonly string[]) {
  const env = { ...Deno.env.toObject(), ...own };
  const child = start({ env }, line.join(" "));
  const { stdout, stderr, code } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { out: text(stdout), err: text(stderr), status: code };
}
