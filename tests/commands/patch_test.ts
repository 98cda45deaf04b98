import assert from "node:assert/strict";
import { domain } from "../../talos.ts";
import { RpcError } from "../_fake.ts";

import { runOn } from "../_run.ts";
import {
  configurationFor,
  configure,
  withoutApply,
} from "./_configured_nodes.ts";

const worker = await configurationFor("worker");
const sysctl = '{"machine":{"sysctls":{"vm.nr_hugepages":"1"}}}';
const patched = worker.replace(
  "machine:\n",
  "machine:\n    sysctls:\n        vm.nr_hugepages: '1'\n",
);

Deno.test("patch changes each node's own configuration", async () => {
  const nodes = [
    configure(worker),
    configure(worker.replace("auto: stable", 'auto: "off"\nhostname: b')),
  ];
  const [a, b] = nodes;
  assert.ok(a && b);
  const ran = await runOn(["patch", "mc", "-p", sysctl], {
    a: a.handlers,
    b: b.handlers,
  });
  assert.equal(ran.status, 0, ran.err);
  assert.equal(ran.out, "");
  assert.deepEqual([a.sent, b.sent], [["auto"], ["auto"]]);
  assert.match(a.active, /sysctls:\n {8}vm\.nr_hugepages: "1"\n/);
  assert.match(b.active, /sysctls:\n {8}vm\.nr_hugepages: "1"\n/);
  assert.match(b.active, /\nhostname: b\n/);
  assert.match(ran.err, /^a: patched$/m);
});

Deno.test("patch sends nothing to a node that has all of it", async () => {
  const b = configure(worker);
  const ran = await runOn([
    "patch",
    "mc",
    "v1alpha1",
    "-p",
    sysctl,
    "-o",
    "jsonl",
  ], { a: withoutApply(configure(patched)), b: b.handlers });
  const rows = ran.out.trimEnd().split("\n").map((row) => JSON.parse(row));
  assert.deepEqual(rows.map(({ node, outcome }) => [node, outcome]), [
    ["a", "unchanged"],
    ["b", "done"],
  ]);
  assert.deepEqual(rows[0], {
    node: "a",
    outcome: "unchanged",
    reason: "no change",
    mode: "auto",
    details: "",
    warnings: [],
  });
  assert.match(ran.err, /^a: no change$/m);
  assert.deepEqual(b.sent, ["auto"]);
});

Deno.test("patch --dry-run shows the change and sends nothing", async () => {
  const ran = await runOn(
    ["patch", "machineconfig", "-p", sysctl, "--dry-run"],
    { a: withoutApply(configure(worker)) },
  );
  assert.equal(ran.status, 0, ran.err);
  assert.match(ran.out, /^a: v1alpha1 changed\n/);
  assert.match(ran.out, /\na: would take effect without a reboot\n$/);
});

Deno.test("patch gives no two nodes the same host name", async () => {
  const name =
    "apiVersion: v1alpha1\nkind: HostnameConfig\nauto: off\nhostname: w1";
  const ran = await runOn(["patch", "mc", "-p", name], {
    a: withoutApply(configure(worker)),
    b: withoutApply(configure(worker)),
  });
  assert.equal(ran.status, 5, ran.err);
  assert.match(ran.err, /a and b would have the same host name "w1"/);
});

Deno.test("patch names what is missing or wrong on the command line", async () => {
  const none = await runOn("patch mc");
  assert.deepEqual([none.err.split("\n")[0], none.status], [
    "error: No patch is given",
    2,
  ]);
  const other = await runOn(["patch", "mc", "persistent", "-p", sysctl], {});
  assert.deepEqual([other.err.split("\n")[0], other.status], [
    'error: Machine configuration "persistent" cannot be changed',
    2,
  ]);
});

/** A node with one resource. */
function withResource(update: (request: unknown) => unknown) {
  const type = `Things.test.${domain}`;
  return {
    async *list() {
      const definition = {
        type,
        displayType: "Thing",
        defaultNamespace: "test",
        aliases: ["thing"],
        allAliases: ["thing", "things"],
        printColumns: [],
      };
      yield await Promise.resolve({
        resource: {
          metadata: { id: type.toLowerCase() },
          spec: { yamlSpec: JSON.stringify(definition) },
        },
      });
    },
    get: () => ({
      resource: {
        metadata: { namespace: "test", type, id: "x", version: "3" },
        spec: { yamlSpec: "a: 1\nb: text\n" },
      },
    }),
    update,
  };
}

const operation = '[{"op":"replace","path":"/a","value":2}]';

Deno.test("patch changes other resources by operations, and shows the node's refusal as it is", async () => {
  const sent: unknown[] = [];
  const done = await runOn(["patch", "thing", "x", "-p", operation], {
    a: withResource((request) => {
      sent.push(request);
      return {};
    }),
  });
  assert.deepEqual([done.err, done.status], ["a: patched\n", 0]);
  const [{ newResource: { metadata, spec } }] = sent as [
    {
      newResource: {
        metadata: { version: string };
        spec: { yamlSpec: string };
      };
    },
  ];
  assert.deepEqual([metadata.version, spec.yamlSpec], ["3", "a: 2\nb: text\n"]);
  const refused = await runOn(["patch", "thing", "x", "-p", operation], {
    a: withResource(() => {
      throw new RpcError("PERMISSION_DENIED", "write access is not allowed");
    }),
  });
  assert.deepEqual([refused.err, refused.status], [
    "error: a: write access is not allowed\n",
    1,
  ]);
});

Deno.test("patch --dry-run of other resources shows which keys differ, not their values", async () => {
  const { update: _, ...node } = withResource(() => ({}));
  const line = ["patch", "thing", "x", "-p", operation, "--dry-run"];
  const ran = await runOn(line, { a: node });
  assert.equal(
    ran.out,
    "a:\n@@ -1,2 +1,2 @@\n-a: (redacted, 1 character)\n+a: (redacted, 1 character, changed)\n b: (redacted, 4 characters)\n",
  );
});
