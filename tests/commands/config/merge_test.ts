import assert from "node:assert/strict";
import { testWith } from "./_file.ts";

const present = `context: a
contexts:
    a:
        endpoints:
            - 10.0.0.1
`;

testWith(
  present,
  "config merge from five at once loses none",
  async ({ osctl, text, write }) => {
    const sources = await Promise.all(
      [1, 2, 3, 4, 5].map((i) =>
        write(`from${i}`, `contexts: {m${i}: {endpoints: [10.0.1.${i}]}}`)
      ),
    );
    await Promise.all(sources.map((from) => osctl(`config merge ${from}`)));
    const added = [1, 2, 3, 4, 5].map((i) =>
      `    m${i}:\n        endpoints:\n            - 10.0.1.${i}\n`
    );
    assert.equal(await text(), present + added.join(""));
  },
);
