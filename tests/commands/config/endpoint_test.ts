import assert from "node:assert/strict";
import { readMode, silence, testWith, toOutput, twoContexts } from "./_file.ts";

testWith(
  twoContexts,
  "config endpoint replaces those of the current context and keeps comments and unknown fields",
  async ({ osctl, text, path }) => {
    const line = "config endpoint 10.9.0.1 [fd00::1]:50001 ,api.example.org,";
    assert.deepEqual(toOutput(await osctl(line)), silence);
    assert.equal(
      await text(),
      `# by hand
context: b
contexts:
    # the old one
    a:
        endpoints:
            - 10.0.0.1
    b:
        endpoints:
            - 10.9.0.1
            - '[fd00::1]:50001'
            - api.example.org
        nodes:
            - 10.1.0.5
        future: [1, 2]
`,
    );
    assert.equal(await readMode(path), 0o600);
  },
);

testWith(
  twoContexts,
  "config endpoint refuses what is not an endpoint and changes nothing",
  async ({ osctl, text }) => {
    const port = await osctl("config endpoint 10.0.0.1 host:99999");
    assert.match(
      port.err,
      /^error: Cannot use endpoint "host:99999": port "99999" is not a number from 1 to 65535\n/,
    );
    assert.equal(port.status, 2);
    const empty = await osctl("config endpoint ,");
    assert.match(empty.err, /^error: Argument <endpoint> is empty\n/);
    assert.equal(empty.status, 2);
    const missing = await osctl("config endpoint");
    assert.match(missing.err, /^error: Argument <endpoint> is missing/);
    assert.equal(missing.status, 2);
    assert.equal(await text(), twoContexts);
  },
);
