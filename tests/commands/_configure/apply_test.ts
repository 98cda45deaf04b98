import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import type { SessionRequest } from "../../../commands/_kit/main.ts";
import { runOn } from "../../_run.ts";
import { configurationFor, configure } from "../_configured_nodes.ts";

const worker = await configurationFor("worker");

/** Configuration of a node with this address. */
function at(address: string): string {
  return `${worker}---
apiVersion: v1alpha1
kind: LinkConfig
name: eth0
addresses:
    - address: ${address}/24
`;
}

/** Applies a configuration to a node; gives the nodes that were asked for over new connections. */
async function move(
  from: string,
  to: string,
  flags: readonly string[] = [],
): Promise<readonly (readonly string[])[]> {
  const node = configure(from);
  const asked: (readonly string[])[] = [];
  await withFolder({ "c.yaml": to }, async (folder) => {
    const ran = await runOn(
      ["apply-config", "-f", `${folder}/c.yaml`, ...flags],
      { "10.0.0.5": node.handlers, "10.0.0.9": node.handlers },
      {
        onOpen({ globals, alsoAt }: SessionRequest) {
          if (alsoAt !== undefined) asked.push([...globals.nodes, ...alsoAt]);
        },
      },
    );
    assert.equal(ran.status, 0, ran.err);
  });
  return asked;
}

Deno.test("a node is looked for where it was and at an address that is new to it", async () => {
  const asked = await move(worker, at("10.0.0.9"), ["--allow", "same-file"]);
  assert.ok(asked.some((places) => places.join() === "10.0.0.9,10.0.0.9"));
  assert.ok(asked.some((places) => places.join() === "10.0.0.5"));
});

Deno.test("a node that gives up its address is not looked for there", async () => {
  const asked = await move(at("10.0.0.5"), at("10.0.0.9"), [
    "--allow",
    "same-file",
  ]);
  assert.ok(!asked.some((places) => places.join() === "10.0.0.5"));
});

Deno.test("--expect-address is for one node", async () => {
  await withFolder({ "c.yaml": at("10.0.0.9") }, async (folder) => {
    const { applyConfiguration: _, ...node } = configure(worker).handlers;
    const ran = await runOn(
      `apply-config -f ${folder}/c.yaml --allow same-file --expect-address 10.0.0.9`,
      { a: node, b: node },
    );
    assert.deepEqual([ran.err.split("\n")[0], ran.status], [
      "error: Flag --expect-address works with one node only",
      2,
    ]);
  });
});

Deno.test("where a reboot is needed, the operation is written down, and the node waited for", async () => {
  await withFolder({
    "c.yaml": worker.replace(
      "machine:\n",
      "machine:\n    env:\n        A: b\n",
    ),
    osconfig:
      "context: demo\ncontexts:\n    demo:\n        endpoints: [10.0.0.2]\n",
  }, async (folder) => {
    let boot = 1;
    const node = configure(worker, {
      taken: () => void boot++,
      others: {
        async *read() {
          yield await Promise.resolve({
            bytes: new TextEncoder().encode(`b${boot}`),
          });
        },
      },
    });
    const get = node.handlers.get;
    assert.ok(get);
    const handlers = {
      ...node.handlers,
      // The node of this test decides to reboot.
      applyConfiguration: async (request: unknown) => {
        const answer = await node.handlers.applyConfiguration?.(request);
        return { messages: [{ ...answer.messages[0], mode: 0 }] };
      },
      get: (request: { type: string }) =>
        request.type.startsWith("MachineStatuses")
          ? {
            resource: {
              spec: { yamlSpec: '{"stage":"running","status":{"ready":true}}' },
            },
          }
          : get(request),
    };
    const members = {
      async *list() {
        yield await Promise.resolve({
          resource: {
            spec: {
              yamlSpec: JSON.stringify({
                addresses: ["a"],
                hostname: "a",
                machineType: "worker",
              }),
            },
          },
        });
      },
    };
    const ran = await runOn(
      `apply-config -f ${folder}/c.yaml -o json`,
      { "": members, a: handlers },
      { env: { OS_HOME: folder, OSCONFIG: `${folder}/osconfig` } },
    );
    assert.equal(ran.status, 0, ran.err);
    const { outcome, mode } = JSON.parse(ran.out);
    assert.deepEqual([outcome, mode], ["done", "reboot"]);
    const [journal] = await Array.fromAsync(
      Deno.readDir(`${folder}/operations`),
    );
    const written = await Deno.readTextFile(
      `${folder}/operations/${journal?.name}`,
    );
    assert.match(written, /"operation":"apply-config"/);
    assert.match(written, /"type":"end"/);
    assert.doesNotMatch(written, /PRIVATE|token/);
  });
});
