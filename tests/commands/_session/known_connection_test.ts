import assert from "node:assert/strict";
import { readKnown } from "../../../commands/_session/known_connection.ts";

import { testCa } from "../../_test_ca.ts";
import { withFolder } from "../../_folder.ts";
import { initialGlobals } from "../runbook/_home.ts";

const { pem } = await testCa();
const ca = btoa(pem);

const osconfig = `context: a
contexts:
  a: {endpoints: [10.0.0.2], nodes: [10.0.0.5], ca: ${ca}}
  b: {ca: ${ca}}
`;

async function findKnown(more: Partial<typeof initialGlobals>) {
  let found: Awaited<ReturnType<typeof readKnown>> | undefined;
  await withFolder({ osconfig }, async (folder) => {
    const globals = {
      ...initialGlobals,
      ...more,
      osconfig: `${folder}/osconfig`,
    };
    const environment = { env: () => undefined, now: () => new Date() };
    // No more of it is asked.
    const input = { insecure: false };
    found = await readKnown({ globals, environment, input } as never);
  });
  return found;
}

Deno.test("a connection is that of the context, or of the flags", async () => {
  const { endpoints, nodes } = await findKnown({}) ?? {};
  assert.deepEqual(endpoints?.map(({ host }) => host), ["10.0.0.2"]);
  assert.deepEqual(nodes, ["10.0.0.5"]);
  const given = await findKnown({ endpoints: ["10.0.0.9"], nodes: ["n"] });
  assert.deepEqual(given?.endpoints.map(({ host }) => host), ["10.0.0.9"]);
  assert.deepEqual(given?.nodes, ["n"]);
});
