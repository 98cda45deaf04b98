import assert from "node:assert/strict";
import { nodeTable } from "../../../commands/cluster/_node_table.ts";

const node = { id: "a", uuid: "42", type: "worker", apiport: 0 };

Deno.test("nodeTable shows sizes, and states where there are any", () => {
  const nodes = [
    {
      ...node,
      name: "lab-worker-1",
      ips: ["10.5.0.3", "fd00::3"],
      nanocpus: 1_500_000_000,
      memory: 2_147_483_648,
      disksize: 0,
    },
  ];
  assert.equal(
    nodeTable(nodes),
    `NAME           TYPE     IP                 CPU    RAM
lab-worker-1   worker   10.5.0.3,fd00::3   1.50   2.1 GB
`,
  );
  assert.equal(
    nodeTable(nodes, { renderState: () => "off" }),
    `NAME           TYPE     IP                 STATE   CPU    RAM
lab-worker-1   worker   10.5.0.3,fd00::3   off     1.50   2.1 GB
`,
  );
  assert.equal(
    nodeTable(nodes, { renderState: () => "off", columns: 40 }),
    `NAME           IP                 STATE
lab-worker-1   10.5.0.3,fd00::3   off
Hidden columns: TYPE, 2 more; see -o json
`,
  );
});
