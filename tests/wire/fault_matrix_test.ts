import assert from "node:assert/strict";
import type { ClusterOptions } from "../../simulator/cluster.ts";
import type { FaultName, FaultOptions } from "../../simulator/faults.ts";
import { fieldsOf } from "../../workflows/kubernetes/client.ts";
import { withFolder } from "../_folder.ts";
import { type Wire, withWire } from "../_wire.ts";
import { pace } from "./_workers.ts";

/** Faults of nodes, and what becomes of each command then. */
interface Situation {
  /** What is wrong. */
  readonly name: string;
  /** The cluster. */
  readonly cluster: ClusterOptions;
  /** Faults, by the place of the node. */
  readonly faults: readonly (readonly [number, FaultName, FaultOptions?])[];
  /** Places of the nodes that commands are given. */
  readonly nodes: readonly number[];
  /** Commands. */
  readonly trials: readonly Trial[];
}

/** A command, and how it ends. */
interface Trial {
  /** Command line without nodes; FILE is a configuration that has changed, SNAPSHOT a path. */
  readonly line: string;
  /** Places of the nodes, where they are others. */
  readonly nodes?: readonly number[];
  /** Exit status. */
  readonly status: number;
  /** Outcome or error of each node; left out where no node has a row. */
  readonly ends?: readonly string[];
  /** How often each node of the cluster boots; default never. */
  readonly boots?: readonly number[];
  /** What standard error says. */
  readonly told?: RegExp;
}

const old: ClusterOptions = { pace, release: { tag: "v1.12.1" } };
const alone = "--allow single-member-downtime";
const wiping = "reset --yes --reboot --system-labels-to-wipe EPHEMERAL";

/** Commands for the only control plane, which ends each of them alike. */
function all(
  failure: string,
  told: RegExp,
): readonly Trial[] {
  const operations = [
    `upgrade --to v1.12.2 ${alone}`,
    `${wiping} ${alone}`,
    "etcd alarm disarm",
    "etcd defrag",
    "etcd forfeit-leadership",
    "etcd leave --yes",
    "bootstrap",
  ];
  const calls = [
    "apply-config -f FILE",
    "apply-config -f FILE --dry-run",
    "apply-config -f FILE --mode try --timeout 5s",
    "etcd members",
    "etcd status",
    "etcd alarm list",
  ];
  const ofOne = ["etcd snapshot SNAPSHOT", "etcd remove-member 1234 --yes"];
  return [
    ...operations.map((line) => ({ line, status: 1, ends: ["failed"], told })),
    ...calls.map((line) => ({ line, status: 1, ends: [failure], told })),
    ...ofOne.map((line) => ({ line, status: 1, told })),
  ];
}

const halfOfWorkers: Situation["faults"] = [
  [2, "unavailable"],
  [4, "unavailable"],
];

const situations: readonly Situation[] = [
  {
    name: "a certificate that has expired",
    cluster: old,
    faults: [[0, "server-cert-expired"]],
    nodes: [0],
    trials: all("server-expired", /its certificate expired on /),
  },
  {
    name: "a certificate of another authority",
    cluster: old,
    faults: [[0, "server-ca-changed"]],
    nodes: [0],
    trials: all(
      "wrong-ca",
      /its certificate is signed by "O=talos", which is not trusted here/,
    ),
  },
  {
    name: "an authority that does not know the client",
    cluster: old,
    faults: [[0, "client-cert-refused"]],
    nodes: [0],
    trials: all(
      "reset",
      /it closed the connection after seeing the client certificate/,
    ),
  },
  {
    name: "half of the workers unreachable",
    cluster: { ...old, workers: 4 },
    faults: halfOfWorkers,
    nodes: [1, 2, 3, 4],
    trials: [
      {
        line: "upgrade --to v1.12.2",
        status: 3,
        ends: ["done", "failed", "done", "failed"],
        boots: [0, 1, 0, 1, 0],
      },
      {
        line: wiping,
        status: 3,
        ends: ["done", "failed", "done", "failed"],
        boots: [0, 1, 0, 1, 0],
        told: /^10\.5\.0\.4 +worker +- +not known: /m,
      },
      {
        line: "apply-config -f FILE",
        status: 3,
        ends: ["done", "UNAVAILABLE", "done", "UNAVAILABLE"],
      },
      {
        line: "apply-config -f FILE --dry-run",
        status: 3,
        ends: ["shown", "UNAVAILABLE", "shown", "UNAVAILABLE"],
      },
      {
        line: "apply-config -f FILE --mode try --timeout 5s",
        status: 3,
        ends: ["done", "UNAVAILABLE", "done", "UNAVAILABLE"],
      },
    ],
  },
  {
    name: "half of the new workers unreachable",
    cluster: { pace, release: { tag: "v1.13.0" }, workers: 4 },
    faults: halfOfWorkers,
    nodes: [1, 2, 3, 4],
    trials: [{
      line: "upgrade --to v1.13.1",
      status: 3,
      ends: ["done", "failed", "done", "failed"],
      boots: [0, 1, 0, 1, 0],
    }],
  },
  {
    name: "half of the control planes unreachable",
    cluster: { ...old, controlplanes: 4 },
    faults: [[1, "unavailable"], [3, "unavailable"]],
    nodes: [0, 1, 2, 3],
    trials: [
      {
        line: "upgrade --to v1.12.2 --timeout 3s",
        status: 1,
        ends: ["refused", "failed", "refused", "failed"],
        told: /quorum 3; without this one 1 \(S1; --allow etcd-quorum\)/,
      },
      {
        line: `${wiping} --timeout 3s`,
        status: 1,
        ends: ["refused", "failed", "refused", "failed"],
        told:
          /^10\.5\.0\.2: etcd has 4 voters, 2 healthy, quorum 3; without this one 3 voters, 1 healthy, quorum 2$/m,
      },
      {
        line: "apply-config -f FILE",
        status: 3,
        ends: ["done", "UNAVAILABLE", "done", "UNAVAILABLE"],
      },
      {
        line: "etcd members",
        status: 3,
        ends: ["shown", "UNAVAILABLE", "shown", "UNAVAILABLE"],
      },
      {
        line: "etcd status",
        status: 3,
        ends: ["shown", "UNAVAILABLE", "shown", "UNAVAILABLE"],
      },
      {
        line: "etcd alarm disarm",
        status: 3,
        ends: ["unchanged", "failed", "unchanged", "failed"],
      },
      {
        line: "etcd leave --yes --timeout 3s",
        nodes: [0],
        status: 5,
        ends: ["refused"],
        told: /would have no quorum/,
      },
      {
        line: "etcd defrag",
        nodes: [1],
        status: 1,
        ends: ["failed"],
      },
      {
        line: "etcd snapshot SNAPSHOT",
        nodes: [1],
        status: 1,
        told: /Cannot take a snapshot of "10\.5\.0\.3": .*connection refused/,
      },
      {
        line: "etcd snapshot SNAPSHOT",
        nodes: [],
        status: 0,
        ends: ["shown"],
        told: /^taking the snapshot from 10\.5\.0\.[24]$/m,
      },
    ],
  },
  {
    name: "a maintenance API that answers before the system",
    cluster: { ...old, workers: 1 },
    faults: [[1, "maintenance-before-boot", { ms: 1_500 }]],
    nodes: [1],
    trials: [
      {
        line: "upgrade --to v1.12.2",
        status: 0,
        ends: ["done"],
        boots: [0, 1],
      },
      { line: wiping, status: 0, ends: ["done"], boots: [0, 1] },
      {
        line: "apply-config -f FILE --mode reboot",
        status: 0,
        ends: ["done"],
        boots: [0, 1],
      },
    ],
  },
  {
    name: "a maintenance API that answers before the new system",
    cluster: { pace, release: { tag: "v1.13.0" }, workers: 2 },
    faults: [[1, "maintenance-before-boot", { ms: 1_500 }]],
    nodes: [1],
    trials: [{
      line: "upgrade --to v1.13.1",
      status: 0,
      ends: ["done"],
      boots: [0, 1, 0],
    }],
  },
  {
    name: "nothing but a maintenance API",
    cluster: old,
    faults: [[0, "maintenance"]],
    nodes: [0],
    trials: all("maintenance", /error: /),
  },
];

for (const situation of situations) {
  for (const trial of situation.trials) {
    Deno.test(`${trial.line} meets ${situation.name}`, () =>
      withFolder({}, (folder) =>
        withWire(
          situation.cluster,
          (wire) => meet(situation, trial, { wire, folder }),
        )));
  }
}

/** Longest time for any of them, in seconds. */
const withinS = 10;

async function meet(
  { faults, nodes }: Situation,
  trial: Trial,
  { wire, folder }: { readonly wire: Wire; readonly folder: string },
): Promise<void> {
  const { cluster, names, osctl } = wire;
  const asked = (trial.nodes ?? nodes).map((place) => names[place] ?? "");
  await writeChanged(wire, asked, `${folder}/c.yaml`);
  for (const [place, fault, options] of faults) {
    await cluster.setFault(names[place] ?? "", fault, options);
  }
  const before = cluster.nodes.map(({ tally }) => tally.boots);
  const begun = performance.now();
  const line = trial.line.replace("FILE", `${folder}/c.yaml`)
    .replace("SNAPSHOT", `${folder}/db`);
  const selected = asked.length === 0 ? "" : `-n ${asked.join()}`;
  const ran = await osctl(`${line} ${selected} -o jsonl`);
  const tookS = (performance.now() - begun) / 1_000;
  assert.deepEqual(
    endsOf(ran.out, asked),
    trial.ends ?? asked.map(() => "nothing"),
    ran.err,
  );
  assert.equal(ran.status, trial.status, ran.err);
  if (trial.told) assert.match(ran.err, trial.told);
  assert.ok(tookS < withinS, `it took ${tookS} s`);
  assert.deepEqual(
    cluster.nodes.map(({ tally }, place) => tally.boots - before[place]!),
    trial.boots ?? before.map(() => 0),
  );
  assert.deepEqual(closed(wire), []);
  assert.equal((await osctl("operation list -o jsonl")).out, "");
  const files = await Array.fromAsync(Deno.readDir(folder));
  const isSaved = line.startsWith("etcd snapshot") && ran.status === 0;
  assert.deepEqual(
    files.map(({ name }) => name).toSorted(),
    isSaved ? ["c.yaml", "db"] : ["c.yaml"],
  );
}

/** How it ended on each node; of all rows where no nodes were given. */
function endsOf(out: string, asked: readonly string[]): readonly string[] {
  const rows = out.split("\n").filter(Boolean).map((row) => JSON.parse(row));
  const ends = (row: (typeof rows)[number]): string =>
    row === undefined ? "nothing" : row.error?.code ?? row.outcome ?? "shown";
  if (asked.length === 0) return rows.map(ends);
  return asked.map((name) => ends(rows.find(({ node }) => node === name)));
}

for (const { line } of all("", /^/)) {
  Deno.test(`${line} sends nothing with a client certificate that has expired`, async () => {
    await withFolder(
      { "c.yaml": "machine: {}\n" },
      (folder) =>
        withWire(old, async ({ cluster, osctl, osconfig, names }) => {
          const { crt, key } = await cluster.identify(["os:admin"], {
            notBefore: new Date(Date.now() - 7_200_000),
            notAfter: new Date(Date.now() - 3_600_000),
          });
          const base64 = (pem: string) =>
            new TextEncoder().encode(pem).toBase64();
          const text = await Deno.readTextFile(osconfig);
          await Deno.writeTextFile(
            osconfig,
            text.replace(/crt: .*/, `crt: ${base64(crt)}`)
              .replace(/key: .*/, `key: ${base64(key)}`),
          );
          const words = line.replace("FILE", `${folder}/c.yaml`)
            .replace("SNAPSHOT", `${folder}/db`);
          const { out, err, status } = await osctl(
            `${words} -n ${names[0]} -o jsonl`,
          );
          assert.match(
            err,
            /^error: Cannot use context "simulated": .*expired/m,
          );
          assert.deepEqual([out, status], ["", 2]);
          const files = await Array.fromAsync(Deno.readDir(folder));
          assert.deepEqual(files.map(({ name }) => name), ["c.yaml"]);
        }),
    );
  });
}

/** Writes the configuration of the last node with something that needs no reboot, and no name of its own. */
async function writeChanged(
  { osctl, names }: Wire,
  asked: readonly string[],
  path: string,
): Promise<void> {
  const node = asked.at(-1) ?? names[0];
  const { out } = await osctl(`get mc v1alpha1 -n ${node} -o json`);
  const text: string = JSON.parse(out).spec;
  const sysctls = '    sysctls:\n        vm.nr_hugepages: "1"\n';
  await Deno.writeTextFile(
    path,
    text.replace("machine:\n", `machine:\n${sysctls}`)
      .replace(/^hostname: .*/m, ""),
  );
}

/** Nodes of Kubernetes on which no pods are placed. */
function closed({ cluster }: Wire): readonly string[] {
  const path = "/api/v1/nodes";
  const { body } = cluster.kubernetes.request({ method: "GET", path });
  const { items } = fieldsOf(body);
  return (Array.isArray(items) ? items : []).flatMap((node) => {
    const { metadata, spec } = fieldsOf(node);
    const isClosed = fieldsOf(spec).unschedulable === true;
    return isClosed ? [String(fieldsOf(metadata).name)] : [];
  });
}
