import assert from "node:assert/strict";
import { quick, runbook, type RunHome, withRunHome } from "../_home.ts";

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
    const leases = (await home.journal()).filter(({ t }) => t === "lease");
    assert.deepEqual(leases.map(({ d }) => d?.state), ["taken", "released"]);
  });
});

Deno.test("conducted leaves a claim when there is something to go on with", async () => {
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
      new RegExp(`Run "${id}" of .* has begun something`),
    );
  });
});

Deno.test("conducted takes no hold for runbooks that lock nothing", async () => {
  const reading = runbook(
    "  - { id: look, gate: etcd.quorum }\n",
    "policy: { lock: none }\n",
  );
  await withRunHome(async (home) => {
    const file = await home.write(reading);
    const { status, err } = await home.osctl(["runbook", "run", file]);
    assert.equal(status, 0, err);
    assert.ok((await home.journal()).every(({ t }) => t !== "lease"));
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
