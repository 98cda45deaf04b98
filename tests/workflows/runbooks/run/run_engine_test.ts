import assert from "node:assert/strict";
import type { NewEvent } from "../../../../workflows/runbooks/event.ts";
import {
  quick,
  runbook,
  type RunHome,
  withRunHome,
} from "../../../commands/runbook/_home.ts";
import type { RunJournal } from "../../../../workflows/runbooks/journal/writer.ts";
import type { Vault } from "../../../../workflows/vault/secrets.ts";
import {
  emitLease,
  journaledVault,
  maskJournal,
  plannedStages,
} from "../../../../workflows/runbooks/run/run_engine.ts";
import type {
  Runbook,
  Step,
  StepHead,
} from "../../../../workflows/runbooks/runbook.ts";
import { type NewRecord, whole } from "../_records.ts";

const path =
  "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/osctl-runbook";

/** Holder and claim on the cluster. */
function leaseOf({ cluster }: RunHome) {
  const { body } = cluster.kubernetes.request({ method: "GET", path });
  const { spec, metadata } = body as {
    readonly spec: { readonly holderIdentity: string };
    readonly metadata: { readonly annotations: Record<string, string> };
  };
  const claim = metadata.annotations["osctl.dev/claim"];
  return { holder: spec.holderIdentity, claim };
}

Deno.test("conducted gives the cluster back when the run has ended, and writes that down", async () => {
  await withRunHome(async (home) => {
    const file = await home.write(quick);
    const { status } = await home.osctl(["runbook", "run", file, "--yes"]);
    assert.equal(status, 0);
    assert.deepEqual(leaseOf(home), { holder: "", claim: "" });
    const leases = (await home.journal()).filter(({ type }) =>
      type === "lease"
    );
    assert.deepEqual(leases.map(({ data }) => data?.state), [
      "taken",
      "released",
    ]);
  });
});

Deno.test("conducted leaves a claim when there is something to continue with", async () => {
  const failing = runbook(`  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: cordon, run: node.cordon }
      - { id: no, assert: { that: "1 == 2", message: "It never is" } }
`);
  await withRunHome(async (home) => {
    const file = await home.write(failing);
    const { status } = await home.osctl(["runbook", "run", file]);
    assert.equal(status, 5);
    const [id = ""] = await home.ids();
    assert.deepEqual(leaseOf(home), { holder: "", claim: id });
    const elsewhere = `${home.home}/elsewhere`;
    const other = await home.osctl(["runbook", "run", file], {
      env: { OS_HOME: elsewhere },
    });
    assert.equal(other.status, 8);
    assert.match(
      other.err,
      new RegExp(`Run "${id}" of .* is unfinished`),
    );
  });
});

/** Lets another process of a run take the Lease behind a look at it, and renew it before each later one. */
function taker({ cluster }: RunHome, id: string) {
  const api = cluster.nodes[0]!.cluster.kubernetesApi!; // the cluster runs
  const { request } = api;
  let looks = 0;
  const take = () => {
    const renewTime = `2026-03-01T12:00:00.${
      String(looks++).padStart(6, "0")
    }Z`;
    const holderIdentity = `${id} @ eve@other # 7 noon word`;
    const spec = { holderIdentity, renewTime, leaseDurationSeconds: 1 };
    request({ method: "PATCH", path, body: { spec } });
  };
  Object.assign(api, {
    request(asked: Parameters<typeof request>[0]) {
      const isLook = asked.method === "GET" && asked.path === path;
      if (isLook && looks > 0) take();
      const answer = request(asked);
      if (isLook && looks === 0) take();
      return answer;
    },
  });
  return { [Symbol.dispose]: () => void Object.assign(api, { request }) };
}

/** Changes something, and then looks at what is not so. */
const stopping = runbook(`  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: cordon, run: node.cordon }
      - { id: no, assert: { that: "1 == 2", message: "It never is" } }
`);

Deno.test("conducted does no step of a run that another process runs with since it has looked", async () => {
  await withRunHome(async (home) => {
    const file = await home.write(stopping);
    assert.equal((await home.osctl(["runbook", "run", file])).status, 5);
    const [id = ""] = await home.ids();
    const before = await home.journal();
    using _ = taker(home, id);
    const { status, err } = await home.osctl(["runbook", "resume", id]);
    assert.equal(status, 8, err);
    assert.match(
      err,
      new RegExp(
        `error: Run "${id}" is running in another process: ${id} @ eve@other, process 7 since noon`,
      ),
    );
    const kinds = (await home.journal()).slice(before.length).map((
      { type },
    ) => type);
    assert.deepEqual(kinds, []);
  });
});

Deno.test("conducted ends a run that failed while another process was at it with the name of that", async () => {
  const asking = stopping.replace(
    "steps:\n",
    'steps:\n  - { id: go, approve: { tag: go, message: "Now?" } }\n  - { id: no, assert: { that: "1 == 2", message: "It never is" } }\n',
  );
  await withRunHome(async (home) => {
    const file = await home.write(asking);
    assert.equal((await home.osctl(["runbook", "run", file])).status, 76);
    const [id = ""] = await home.ids();
    // Nobody has changed anything yet.
    home.cluster.kubernetes.request({
      method: "POST",
      path: path.slice(0, path.lastIndexOf("/")),
      body: { metadata: { name: "osctl-runbook" }, spec: {} },
    });
    using _ = taker(home, id);
    const { status, err, out } = await home.osctl(
      ["runbook", "resume", id, "--yes"],
    );
    assert.equal(status, 8, err);
    assert.match(
      out,
      new RegExp(
        `lease-lost: Run "${id}" is running in another process: ${id} @ eve@other, process 7 since noon .*; this process saw: .*It never is`,
      ),
    );
  });
});

Deno.test("conducted takes no lock for runbooks that lock nothing", async () => {
  const reading = runbook(
    "  - { id: look, gate: etcd.quorum }\n",
    "policy: { lock: none }\n",
  );
  await withRunHome(async (home) => {
    const file = await home.write(reading);
    const { status, err } = await home.osctl(["runbook", "run", file]);
    assert.equal(status, 0, err);
    assert.ok((await home.journal()).every(({ type }) => type !== "lease"));
  });
});

Deno.test("conducted destroys the key of secrets when the run has succeeded, and only then", async () => {
  await withRunHome(async (home) => {
    const file = await home.write(quick);
    await home.osctl(["runbook", "run", file]);
    const [id = ""] = await home.ids();
    const vault = `${home.home}/runs/${id}/vault.bin`;
    const text = async () =>
      new TextDecoder().decode(await Deno.readFile(vault));
    const before = await text();
    await home.osctl(["runbook", "resume", id, "--yes"]);
    assert.notEqual(await text(), before);
    const { status, err } = await home.osctl(["runbook", "resume", id]);
    assert.equal(status, 5, err);
  });
});

Deno.test("conducted makes files in the folder of the run, and names them", async () => {
  const text = runbook(
    "  - { id: copy, run: etcd.snapshot, with: { artifact: db.snapshot } }\n",
  );
  await withRunHome(async (home) => {
    const file = await home.write(text);
    const { out } = await home.osctl(["runbook", "run", file, "-o", "json"]);
    const [id = ""] = await home.ids();
    const path = `${home.home}/runs/${id}/artifacts/db.snapshot`;
    assert.deepEqual(JSON.parse(out).artifacts, [path]);
    assert.ok((await Deno.stat(path)).size > 0);
  });
});

const mask = (text: string) => text.replaceAll("hunter22", "******");

Deno.test("hideInJournal hides them in results, not in what is compared later", async () => {
  const written: NewRecord[] = [];
  const journal = maskJournal({
    append: (record) => {
      written.push(record as NewRecord);
      return Promise.resolve({ seq: 1, ts: "", previous: "", ...record });
    },
  }, mask);
  const append = (record: NewRecord) => journal.append(whole(record));
  await append({ type: "result", path: "a", data: { message: "hunter22" } });
  await append({ type: "intent", path: "a", data: { key: "hunter22" } });
  await append({ type: "run.resume" });
  assert.deepEqual(written, [
    { type: "result", path: "a", data: { message: "******" } },
    { type: "intent", path: "a", data: { key: "hunter22" } },
    { type: "run.resume" },
  ]);
});

function recorder() {
  const seen: unknown[] = [];
  const journal: RunJournal = {
    append(record) {
      seen.push(record);
      return Promise.resolve({ seq: 1, ts: "", previous: "", ...record });
    },
  };
  const emit = ({ type, data }: NewEvent) => void seen.push([type, data]);
  return { seen, journal, feed: { emit } };
}

Deno.test("tellLease tells what is taken and lost, and nothing else", () => {
  const { seen, feed } = recorder();
  emitLease(feed, { state: "taken" }, "r1 @ eve@desk");
  emitLease(feed, { state: "lost", reason: "somebody has it" }, "r1");
  emitLease(feed, { state: "released" }, "r1");
  assert.deepEqual(seen, [
    ["lock.acquired", { holder: "r1 @ eve@desk" }],
    ["lock.lost", { reason: "somebody has it" }],
  ]);
});

Deno.test("toldVault writes a secret down when it is in the vault, without its value", async () => {
  const { seen, journal, feed } = recorder();
  const vault: Vault = {
    put: (secret) => {
      seen.push("put");
      return Promise.resolve({ secret });
    },
    find: () => undefined,
    read: () => Promise.resolve(new Uint8Array()),
    names: () => [],
  };
  const reported = journaledVault(vault, journal, feed);
  const value = new TextEncoder().encode("hunter22");
  assert.deepEqual(await reported.put("ca/os", value, "ab12"), {
    secret: "ca/os",
  });
  await reported.put("token", value);
  assert.deepEqual(seen, [
    "put",
    { type: "secret", data: { name: "ca/os", fingerprint: "ab12" } },
    ["secret.created", { name: "ca/os", fingerprint: "ab12" }],
    "put",
    { type: "secret", data: { name: "token" } },
    ["secret.created", { name: "token" }],
  ]);
});

const place = { file: "x.yaml", line: 1, column: 1 };

function head(id: string): StepHead {
  return { id, onFailure: "fail", pointOfNoReturn: false, place };
}

function each(id: string, nodes: string): Step {
  const strategy = { batch: 1, maxFailures: 0 };
  return {
    ...head(id),
    verb: "forEach",
    nodes,
    strategy,
    steps: [],
    rescue: [],
    always: [],
  };
}

const staged: Runbook = {
  v: 1,
  name: "r",
  title: "R",
  per: "cluster",
  requires: { needs: [] },
  inputs: {},
  vars: [],
  policy: { lock: "cluster", membership: "open", window: [], allow: [] },
  groups: {},
  steps: [
    { ...head("pause"), title: "A pause", verb: "sleep", duration: "1s" },
    each("workers", "workers"),
    each("later", "later"),
  ],
  rescue: [],
  always: [],
  outputs: {},
  place,
};

Deno.test("plannedStages lists the steps, and how many nodes each is for", () => {
  const groups: Readonly<Record<string, readonly string[]>> = {
    workers: ["w-1", "w-2"],
  };
  assert.deepEqual(plannedStages(staged, (name) => groups[name]), [
    { path: "pause", title: "A pause", verb: "sleep" },
    { path: "workers", verb: "forEach", nodes: 2 },
    { path: "later", verb: "forEach" },
  ]);
});

Deno.test("plannedStages says which steps have ended before", () => {
  const before = (path: string) => path === "pause" ? "done" : undefined;
  const [first, second] = plannedStages(staged, () => undefined, before);
  assert.deepEqual(
    [first, second],
    [
      { path: "pause", title: "A pause", verb: "sleep", state: "done" },
      { path: "workers", verb: "forEach" },
    ],
  );
});
