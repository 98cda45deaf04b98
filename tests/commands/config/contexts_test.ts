import assert from "node:assert/strict";

import { testWith, toOutput } from "./_file.ts";

const many = `context: z
contexts:
    z:
        endpoints: [e1, e2]
        nodes: [n1, n2, n3, n4]
    a10:
        endpoints: []
        nodes: [n1, n2, n3]
    a9:
        endpoints: [host:50001]
`;

testWith(
  many,
  "config contexts lists all by name, with three nodes at most",
  async ({ osctl }) => {
    assert.deepEqual(toOutput(await osctl("config contexts")), {
      out: `CURRENT   NAME   ENDPOINTS    NODES
          a10                 n1,n2,n3
          a9     host:50001
*         z      e1,e2        n1,n2,n3...
`,
      err: "",
      status: 0,
    });
  },
);
