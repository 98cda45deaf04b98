import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { FakeNodes } from "../../_fake.ts";
import { run, type RunOptions } from "../../_run.ts";
import { members } from "../_machine.ts";

/** Two default nodes that are asked for their services only when that was confirmed. */
function nodes(isAsked: boolean): FakeNodes {
  const running: FakeNodes[string] = isAsked
    ? {
      serviceList: () => ({
        messages: [{ services: [{ id: "kubelet", state: "Running" }] }],
      }),
    }
    : {};
  const all = members({ a: "controlplane", b: "worker" });
  return { a: running, b: running, "": all };
}

const line = "service kubelet start -o jsonpath={.outcome}";
const shown = "NODE   ROLE\na      controlplane\nb      worker\n";

function withAnswer(text: string, more: RunOptions = {}): RunOptions {
  return { typed: true, stdin: text, ...more };
}

Deno.test("on a terminal the default nodes are shown with their roles, and asked about", async () => {
  const yes = await run(line, nodes(true), withAnswer("y\n"));
  assert.equal(
    yes.err.slice(0, yes.err.indexOf(": ")),
    `${shown}Run "service start" on these 2 nodes? (y/N)`,
  );
  assert.equal(yes.out, "unchanged\nunchanged\n");
  assert.equal(yes.status, 0);
});

Deno.test("an upgrade is asked about with the host names, the versions, and the new one", async () => {
  const spec = {
    addresses: ["a"],
    hostname: "lab-worker-1",
    machineType: "worker",
    operatingSystem: "Talos (v1.12.11)",
  };
  const listed: FakeNodes[string] = {
    async *list() {
      const yamlSpec = JSON.stringify(spec);
      yield await Promise.resolve({ resource: { spec: { yamlSpec } } });
    },
  };
  const { err, status } = await run(
    "upgrade --to v1.13.4",
    { a: {}, "": listed },
    withAnswer("n\n"),
  );
  assert.equal(
    err.slice(0, err.indexOf(": ")),
    `NODE   HOST           ROLE     VERSION
a      lab-worker-1   worker   v1.12.11
Run "upgrade" to v1.13.4 on this node? (y/N)`,
  );
  assert.equal(status, 5);
});

Deno.test("any other answer, or none, sends nothing", async () => {
  for (const answer of ["n\n", "\n", "reboot\n"]) {
    const no = await run(line, nodes(false), withAnswer(answer));
    assert.match(
      no.err,
      /error: "service start" was not confirmed\nhint: Nothing was sent\n$/,
    );
    assert.deepEqual([no.status, no.out], [5, ""]);
  }
  const gone = await run(line, nodes(false), withAnswer(""));
  assert.match(gone.err, /standard input has ended\nhint: Pass --yes\n$/);
  assert.equal(gone.status, 5);
});

Deno.test("a node that no member list has is requested its role, and unknown when it does not answer", async () => {
  const own = (type: string) => ({
    get: () => ({ resource: { spec: { yamlSpec: type } } }),
  });
  const gone = () => Promise.reject(new RpcError("UNAVAILABLE", "gone"));
  const asked = { ...nodes(false), a: {}, b: own("worker") };
  const known = { ...asked, "": members({ a: "worker" }) };
  const { err: reported } = await run(line, known, withAnswer("n\n"));
  assert.match(reported, /^a {6}worker\nb {6}worker\n/m);
  const others = { ...known, b: { get: gone } };
  const { err } = await run(line, others, withAnswer("n\n"));
  assert.match(err, /^a {6}worker\nb {6}unknown\n/m);
});
