import assert from "node:assert/strict";
import {
  eventsIn,
  quick,
  runbook,
  type RunHome,
  withRunHome,
} from "../../../commands/runbook/_home.ts";

const path =
  "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/osctl-runbook";

/** Holder and claim on the cluster. */
function readLease({ cluster }: RunHome) {
  const { body } = cluster.kubernetes.request({ method: "GET", path });
  const { spec, metadata } = body as {
    readonly spec: { readonly holderIdentity: string };
    readonly metadata: { readonly annotations: Record<string, string> };
  };
  const claim = metadata.annotations["osctl.dev/claim"];
  return { holder: spec.holderIdentity, claim };
}

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
    assert.deepEqual(readLease(home), { holder: "", claim: id });
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
        `Failed in no: Run "${id}" is running in another process: ${id} @ eve@other, process 7 since noon .*; this process saw: .*It never is\n`,
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

Deno.test("conducted reports the steps of the plan, the lock, and secrets without their values", async () => {
  const text = runbook(
    `  - { id: make, title: A CA, run: ca.generate, with: { kind: os } }
  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps: [{ id: cordon, run: node.cordon }]
  - { id: no, assert: { that: "1 == 2", message: "It never is" } }
`,
  );
  await withRunHome(async (home) => {
    const file = await home.write(text);
    await home.osctl(["runbook", "run", file, "--yes"]);
    const [id = ""] = await home.ids();
    await home.osctl(["runbook", "resume", id, "--yes"]);
    const events = eventsIn(
      await Deno.readTextFile(`${home.home}/runs/${id}/events.jsonl`),
    );
    const [planned, again] = events.flatMap((event) =>
      event.type === "run.planned" ? [event.data.stages] : []
    );
    assert.deepEqual(planned, [
      { path: "make", title: "A CA", verb: "run" },
      { path: "workers", verb: "forEach", nodes: 2 },
      { path: "no", verb: "assert" },
    ]);
    assert.deepEqual(again?.map(({ state }) => state), [
      "done",
      "done",
      undefined,
    ]);
    const lock = events.find(({ type }) => type === "lock.acquired");
    assert.match(JSON.stringify(lock?.data), new RegExp(`"holder":"${id} @ `));
    const secrets = events.flatMap((event) =>
      event.type === "secret.created" ? [event.data] : []
    );
    assert.deepEqual(secrets.map(({ name }) => name), ["ca.os.key", "ca.os"]);
    const records = await home.journal();
    assert.deepEqual(
      records.flatMap(({ type, data }) => type === "secret" ? [data] : []),
      secrets,
    );
    assert.doesNotMatch(JSON.stringify([events, records]), /PRIVATE KEY/);
  });
});
