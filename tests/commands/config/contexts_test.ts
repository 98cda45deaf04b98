import assert from "node:assert/strict";
import { run } from "../../_run.ts";
import { outputOf, testWith, twoContexts } from "./_file.ts";

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

const header = "CURRENT   NAME   ENDPOINTS   NODES\n";

testWith(
  many,
  "config contexts lists all by name, with three nodes at most",
  async ({ osctl }) => {
    assert.deepEqual(outputOf(await osctl("config contexts")), {
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

testWith(
  many,
  "config contexts -o json carries all nodes",
  async ({ osctl }) => {
    const { out } = await osctl("config get-contexts -o jsonl");
    const rows = out.trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.equal(rows.length, 3);
    assert.deepEqual(rows[2], {
      current: true,
      name: "z",
      endpoints: ["e1", "e2"],
      nodes: ["n1", "n2", "n3", "n4"],
    });
  },
);

testWith(
  twoContexts,
  "config contexts marks the context that --context names",
  async ({ osctl }) => {
    const { out } = await osctl("config contexts --context a");
    assert.equal(
      out,
      `CURRENT   NAME   ENDPOINTS                 NODES
*         a      10.0.0.1
          b      10.1.0.1,10.1.0.2:50001   10.1.0.5
`,
    );
  },
);

testWith(
  undefined,
  "config contexts shows its header for a missing file and makes none",
  async ({ osctl, path }) => {
    assert.deepEqual(outputOf(await osctl("config contexts")), {
      out: header,
      err: "No contexts; add one with: osctl config merge <file>\n",
      status: 0,
    });
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
  },
);

testWith(
  "",
  "config contexts shows its header for an empty file",
  async ({ osctl }) => {
    assert.equal((await osctl("config contexts")).out, header);
  },
);

testWith(
  twoContexts,
  "config contexts finds the file in the environment",
  async ({ path }) => {
    const { out } = await run("config contexts", {}, {
      env: { OSCONFIG: path },
    });
    assert.equal(out.split("\n").length, 4);
  },
);

testWith(
  "contexts: [a",
  "config contexts names file and place of what it cannot read",
  async ({ osctl, path }) => {
    const { err, status } = await osctl("config contexts");
    assert.match(err, new RegExp(`^error: Cannot read "${path}" at line 1`));
    assert.equal(status, 2);
  },
);
