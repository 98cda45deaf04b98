import assert from "node:assert/strict";
import { readDocuments } from "../../../config/tree/read.ts";
import { uncommented } from "../../../config/tree/uncommented.ts";
import { writeTree } from "../../../config/tree/write.ts";

Deno.test("uncommented leaves nothing but the values", () => {
  const text = `# 1
a: # 2
    # 3
    - b # 4

    # 5
    - c: 1 # 6
      # 7
    # 8
# 9
d: "#" # 10
e: # 11
# 12
`;
  const [document] = readDocuments(text, "f").documents;
  assert.ok(document?.root.kind === "map");
  assert.equal(
    writeTree(uncommented(document.root)),
    "a:\n    - b\n    - c: 1\nd: '#'\ne:\n",
  );
});

Deno.test("uncommented keeps places", () => {
  const [document] = readDocuments("# 1\na:\n  - b: c\n", "f").documents;
  const [plain] = readDocuments("\na:\n  - b: c\n", "f").documents;
  assert.ok(document?.root.kind === "map");
  assert.deepEqual(uncommented(document.root), plain?.root);
});
