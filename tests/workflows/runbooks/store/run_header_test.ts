import assert from "node:assert/strict";
import { ConfigError } from "../../../../errors.ts";
import {
  headerName,
  readHeader,
  readRunbook,
  type RunHeader,
  sha256,
} from "../../../../workflows/runbooks/store/run_header.ts";
import { withFolder } from "../../../_folder.ts";

const header: RunHeader = {
  v: 1,
  id: "20261120-7k2f",
  runbook: "demo",
  source: "demo.runbook.yaml",
  files: {},
  ir: "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
  inputs: {},
  context: "prod",
  cluster: { id: "c1", name: "prod" },
  operator: "eve@desk",
  version: "1.0.0",
  at: "2026-11-20T20:00:00.000Z",
};

Deno.test("a header is read as it was written, and there may be none", () =>
  withFolder({ [headerName]: JSON.stringify(header) }, async (folder) => {
    assert.deepEqual(await readHeader(folder), header);
    assert.equal(await readHeader(`${folder}/none`), undefined);
  }));

Deno.test("a header that is not JSON is told by its path", () =>
  withFolder(
    { [headerName]: "{" },
    (folder) =>
      assert.rejects(readHeader(folder), {
        name: "ConfigError",
        message: `Cannot read "${folder}/header.json": it is not JSON`,
      }),
  ));

Deno.test("what a run does is read only when it is what it was started with", () =>
  withFolder({ "ir.json": "{}" }, async (folder) => {
    assert.equal(await sha256("{}"), header.ir);
    assert.deepEqual(await readRunbook(folder, header), {});
    await Deno.writeTextFile(`${folder}/ir.json`, "{ }");
    await assert.rejects(readRunbook(folder, header), ConfigError);
  }));
