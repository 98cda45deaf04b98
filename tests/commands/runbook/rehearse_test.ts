import assert from "node:assert/strict";
import { measure, misplaced } from "../../_browser.ts";
import { withFolder } from "../../_folder.ts";
import { needs } from "../../_needs.ts";
import { run } from "../../_run.ts";
import { withRunHome } from "./_home.ts";
import { repeatCommand } from "../../../commands/_runbook/rehearse_runbook.ts";
import { parseClusterSpec } from "../../../workflows/rehearsal/cluster_shape.ts";
import { likeLive } from "../../../workflows/rehearsal/like_live.ts";
import type { NodeFacts } from "../../../workflows/runbook_cel/facts.ts";

const resting = `apiVersion: osctl/v1
kind: Runbook
name: rest
title: Close a worker for a while
requires: { needs: [kubernetes] }
inputs:
  note: { type: path, required: true }
  time: { type: duration, default: 1m }
groups:
  workers: { role: worker, order: [name] }
steps:
  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1, maxFailures: 0 } }
    steps:
      - { id: cordon, run: node.cordon }
      - { id: rest, sleep: "\${{ inputs.time }}" }
      - { id: uncordon, run: node.uncordon, with: { only: ours } }
`;

/** Rehearses with files in a folder, whose name is removed from what comes back. */
async function rehearse(
  files: Readonly<Record<string, string>>,
  ...words: readonly string[]
) {
  let result = { out: "", err: "", status: -1, files: [] as string[] };
  await withFolder(files, async (folder) => {
    for (const [name, text] of Object.entries(files)) {
      const own = text.replaceAll("FOLDER", folder);
      await Deno.writeTextFile(`${folder}/${name}`, own);
    }
    const known = words.map((word) => word.replace("FOLDER", folder));
    const done = await run(["runbook", "rehearse", ...known]);
    const left: string[] = [];
    for await (const { name } of Deno.readDir(folder)) left.push(name);
    const bare = (text: string) => text.replaceAll(folder, "FOLDER");
    result = {
      ...done,
      out: bare(done.out),
      err: bare(done.err),
      files: left.toSorted(),
    };
  });
  return result;
}

const file = "FOLDER/rest.runbook.yaml";
const files = { "rest.runbook.yaml": resting };
const small = ["--cluster", "sim:1cp+1w,v1.13.4"] as const;

Deno.test("runbook rehearse tells how a run ends on simulated nodes, and what held", async () => {
  const { out, err, status } = await rehearse(files, file, ...small);
  assert.equal(err, "");
  assert.equal(status, 0);
  assert.match(out, /^rest rehearsed on sim:1cp\+1w,v1\.13\.4, seed 1\n/);
  assert.match(out, /1 run, all as expected; 1m0s of virtual time in /);
  assert.match(out, /\n {2}I12 {2}held in 1 /);
  assert.match(out, /\nRun as requested: succeeded, status 0 after 1m0s\n$/);
});

Deno.test("runbook rehearse writes to none of the user's files", async () => {
  const { status, out, files } = await rehearse(
    {},
    ...["builtin:rotate-ca", ...small],
    ...["--input=osconfig=FOLDER/config", "--input=secretsOut=FOLDER/secrets"],
  );
  assert.equal(status, 0, out);
  assert.deepEqual(files, []);
});

Deno.test("runbook rehearse redirects literal paths in the runbook, also those that another step reads", async () => {
  const { status, out, err, files } = await rehearse(
    {
      "literal.runbook.yaml": resting.replace(
        /inputs:[^]*/,
        `steps:
  - { id: secrets, run: gen.secrets, with: { outputFile: FOLDER/secrets.yaml, osVersion: v1.6 } }
  - { id: kubeconfig, run: kubeconfig, with: { path: FOLDER } }
  - { id: written, run: gen.config, with: { clusterName: a, clusterEndpoint: "https://a:6443", withSecrets: FOLDER/secrets.yaml, output: FOLDER/generated, osVersion: v1.6 } }
  - { id: read, run: validate, with: { config: [FOLDER/generated/worker.yaml], mode: metal } }
`,
      ),
    },
    ...["FOLDER/literal.runbook.yaml", ...small],
  );
  assert.equal(status, 0, out + err);
  assert.deepEqual(files, ["literal.runbook.yaml"]);
});

Deno.test("runbook rehearse reads and changes an osconfig of its own, and no kubeconfig of the user", () =>
  withFolder({
    "config": "context: mine\ncontexts: {mine: {endpoints: [10.0.0.2]}}\n",
    "all.runbook.yaml": resting.replace(
      /inputs:[^]*/,
      `steps:
  - { id: rename, run: config.endpoint, with: { endpoint: [10.9.9.9] } }
  - { id: renew, run: config.renew }
  - { id: kubeconfig, run: kubeconfig }
`,
    ),
  }, async (folder) => {
    const env = {
      ...{ HOME: folder, OS_HOME: folder, OSCONFIG: `${folder}/config` },
      KUBECONFIG: `${folder}/kubeconfig`,
    };
    const before = await Deno.readTextFile(`${folder}/config`);
    const line = ["runbook", "rehearse", `${folder}/all.runbook.yaml`];
    const { out, err, status } = await run([...line, ...small], {}, { env });
    assert.equal(status, 0, out + err);
    assert.equal(await Deno.readTextFile(`${folder}/config`), before);
    const left = await Array.fromAsync(Deno.readDir(folder));
    assert.deepEqual(
      left.map(({ name }) => name).toSorted(),
      ["all.runbook.yaml", "config"],
    );
  }));

Deno.test("runbook rehearse goes through every record of the journal, and reports as a page and as data", async () => {
  const { out, err, status, files: left } = await rehearse(
    files,
    ...[file, ...small, "--matrix=kill", "--seed=4", "-o=json"],
    ...["--report=FOLDER", "--input=time=5s"],
  );
  assert.equal(status, 0, out);
  assert.match(err, /The report is in FOLDER\/report\.html\n$/);
  assert.deepEqual(left, ["report.html", "report.json", "rest.runbook.yaml"]);
  const { good, runs, seed, invariants } = JSON.parse(out);
  assert.deepEqual([good, seed], [true, 4]);
  assert.ok(runs.length > 20);
  assert.equal(invariants[9].id, "I10");
  assert.equal(invariants[9].held, runs.length);
});

Deno.test({
  name:
    "the page of a rehearsal is drawn by a browser: rows, faults and verdict",
  ...needs("chromium"),
  async fn() {
    const { out, status } = await rehearse(
      files,
      ...[file, ...small, "-o=html", "--input=time=4m"],
      ...[
        "--fault=runner: kill @ rest for 1m",
        "--fault=k8s: down @ 3m for 30s",
      ],
    );
    assert.equal(status, 0);
    assert.deepEqual(await measure(out, misplaced), []);
    const found = await measure(
      out,
      `[document.querySelector("#verdict").textContent,
        [...document.querySelectorAll("#timeline-1 strong")].map((one) => one.textContent),
        [...document.querySelectorAll("#timeline-1 .number")].map((one) => one.textContent),
        [...document.querySelectorAll("ol.faults li")].map((one) => one.textContent.trim())]`,
    );
    assert.deepEqual(found, [
      "1 run. All as expected.",
      ["cluster", "demo-worker-1"],
      ["2", "1"],
      [
        "runner: kill @ rest for 1m: 0s, at workers/rest on demo-worker-1",
        "k8s: down @ 3m for 30s: 3m0s to 3m30s",
      ],
    ]);
  },
});

Deno.test("runbook rehearse has status 1 when a run does not end as a file expects it", async () => {
  const rehearsal = (expect: string) =>
    `kind: Rehearsal
runbook: rest.runbook.yaml
cluster: sim:1cp+1w
inputs: { time: 5s }
faults: [k8s: down]
expect: ${expect}
`;
  const path = "FOLDER/a.rehearsal.yaml";
  const right = { ...files, "a.rehearsal.yaml": rehearsal("{ status: 1 }") };
  const { status, out } = await rehearse(right, path);
  assert.equal(status, 0, out);
  assert.match(out, /Run as requested: failed, status 1/);
  const wrong = { ...files, "a.rehearsal.yaml": rehearsal("{ status: 0 }") };
  const failed = await rehearse(wrong, path);
  assert.equal(failed.status, 1);
  assert.match(failed.out, /\n {2}status 1 instead of 0\n/);
  assert.match(failed.err, /1 of 1 runs did not end as expected/);
});

Deno.test("runbook rehearse says what is wrong before anything is simulated", async () => {
  const wrong: readonly (readonly [RegExp, ...string[]])[] = [
    [
      /"never-return" is not a fault of node/,
      file,
      "--fault=node/a: never-return",
    ],
    [/Cannot simulate cluster "5w": "5w" is not a size/, file, "--cluster=5w"],
    [
      /There is no file "FOLDER\/b\.rehearsal\.yaml"/,
      "FOLDER/b.rehearsal.yaml",
    ],
    [
      /there is no node "worker-9"/,
      file,
      ...small,
      "--fault=node/worker-9: down",
    ],
    [/cannot be combined/, file, ...small, "--like-live"],
  ];
  for (const [message, ...words] of wrong) {
    const { err, status } = await rehearse(files, ...words);
    assert.match(err, message);
    assert.equal(status, 2);
  }
});

Deno.test("runbook rehearse simulates a cluster like the real one, which is only read", async () => {
  await withRunHome(async (home) => {
    const path = await home.write(resting);
    const { out, status, err } = await home.osctl([
      ...["runbook", "rehearse", path, "--like-live"],
    ]);
    assert.equal(status, 0, err);
    assert.match(out, /^rest rehearsed on sim:1cp\+2w,v/);
    assert.deepEqual(await home.ids(), []);
  });
});

Deno.test("a rehearsal runs no program of this machine unless it is asked to", async () => {
  await withFolder({}, async (folder) => {
    const file = `${folder}/tell.runbook.yaml`;
    const ran = `${folder}/ran`;
    await Deno.writeTextFile(
      file,
      `apiVersion: osctl/v1
kind: Runbook
name: tell
title: Run a program
steps:
  - { id: tell, run: command, with: { program: touch, args: [${ran}], rehearsed: { ok: true } } }
  - { id: sure, when: "steps.tell.data != ''", assert: { that: steps.tell.data.ok } }
`,
    );
    const isThere = () => Deno.stat(ran).then(() => true, () => false);
    const line = ["runbook", "rehearse", file];
    const held = await run(line);
    assert.equal(held.status, 0, held.err);
    assert.equal(await isThere(), false);
    const asked = await run([...line, "--allow-commands"]);
    assert.equal(asked.status, 0, asked.err);
    assert.equal(await isThere(), true);
  });
});

Deno.test("a rescue that fails is a problem of its rehearsal, whatever was made to go wrong", async () => {
  const file = `apiVersion: osctl/v1
kind: Runbook
name: undo
title: Undo what cannot be undone
groups: { workers: { role: worker, order: [name] } }
steps:
  - id: all
    forEach: workers
    steps: [{ id: cordon, run: node.cordon, timeout: 1m }]
rescue:
  - { id: undo, assert: { that: "false", message: No way back } }
`;
  const { out, status } = await rehearse(
    { "undo.runbook.yaml": file },
    "FOLDER/undo.runbook.yaml",
    "--fault",
    "k8s: down @ all",
  );
  assert.equal(status, 1);
  assert.match(out, /\n {2}rescue: undo: No way back\n/);
  assert.match(out, /\n {2}rescue failed: refused in undo\n/);
});

const input = {
  runbook: "builtin:rolling-upgrade",
  input: ["version=v1.13.6"],
  inputs: undefined,
  secret: [],
  likeLive: false,
  allowCommands: false,
};
const oneRun = {
  faults: ["runner: kill @ record 57"],
  cluster: parseClusterSpec("3cp+1w"),
  seed: 7,
};

Deno.test("one run is made again with its faults, its cluster and its seed", () => {
  assert.equal(
    repeatCommand(input, oneRun),
    "osctl runbook rehearse builtin:rolling-upgrade --input version=v1.13.6 --cluster sim:3cp+1w,v1.13.4 --fault 'runner: kill @ record 57' --seed 7",
  );
});

Deno.test("words are quoted for a shell, and a file keeps its own faults", () => {
  const given = {
    ...input,
    runbook: "it's.rehearsal.yaml",
    input: ["message=a b"],
    inputs: "values.yaml",
    secret: ["key=@key.pem"],
    likeLive: true,
    allowCommands: true,
  };
  const faults = ["k8s: down", "runner: kill @ record 1"];
  assert.equal(
    repeatCommand(given, { ...oneRun, faults }),
    "osctl runbook rehearse 'it'\\''s.rehearsal.yaml' --input 'message=a b' --inputs values.yaml --secret key=@key.pem --like-live --fault 'runner: kill @ record 1' --allow-commands --seed 7",
  );
});

function node(
  role: NodeFacts["role"],
  version: string,
  bootloader = "",
): NodeFacts {
  // Nothing else is checked.
  return { role, version, bootloader } as NodeFacts;
}

Deno.test("a simulated cluster has the size and the versions of a real one", () => {
  const nodes = [
    node("worker", "v1.12.1"),
    node("controlplane", "v1.13.4"),
    node("controlplane", "v1.13.4", "grub"),
    node("worker", "v1.13.4"),
    node("worker", ""),
  ];
  assert.deepEqual(likeLive(nodes), {
    spec: { controlPlanes: 2, workers: 3, version: "v1.13.4", grub: false },
    different: {
      "demo-controlplane-2": { bootLoader: "grub" },
      "demo-worker-1": { version: "v1.12.1" },
    },
  });
});

Deno.test("a cluster of which too little is known cannot be simulated", () => {
  const message = "Cannot simulate the cluster: no node reports enough";
  for (const nodes of [[node("worker", "v1")], [node("controlplane", "")]]) {
    assert.throws(() => likeLive(nodes), { message });
  }
});
