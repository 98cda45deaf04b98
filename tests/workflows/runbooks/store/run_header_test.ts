import assert from "node:assert/strict";
import { sha256Hex } from "../../../../lib/sha256.ts";
import { ConfigError } from "../../../../errors.ts";
import {
  readRunbook,
  type RunHeader,
} from "../../../../workflows/runbooks/store/run_header.ts";
import { encodeRecord } from "../../../../workflows/runbooks/journal/record.ts";
import {
  runbook,
  type RunHome,
  withRunHome,
} from "../../../commands/runbook/_home.ts";
import { withFolder } from "../../../_folder.ts";
import { wholeRead } from "../_records.ts";

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

Deno.test("run header: a runbook that changed since the start is refused", () =>
  withFolder({ "ir.json": "{}" }, async (folder) => {
    assert.equal(await sha256Hex("{}"), header.ir);
    assert.deepEqual(await readRunbook(folder, header), {});
    await Deno.writeTextFile(`${folder}/ir.json`, "{ }");
    await assert.rejects(readRunbook(folder, header), ConfigError);
  }));

/** Cordons the workers, after a question that is about a number. */
const numbered = runbook(
  `  - { id: go, approve: { tag: start, message: "Touch them \${{ inputs.times }} times?" } }
  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps: [{ id: cordon, run: node.cordon }]
`,
  `inputs:
  times: { type: int, default: 4 }
  token: { type: secret, required: true }
`,
);

/** Begins a run with a secret that was approved while it was stopped. */
async function approve(home: RunHome): Promise<string> {
  const file = await home.write(numbered);
  const line = ["runbook", "run", file, "--secret", "token=env:TOKEN"];
  const env = { TOKEN: "hunter22-and-some-more" };
  const first = await home.osctl(line, { env });
  assert.equal(first.status, 76, first.err);
  const [id = ""] = await home.ids();
  const { status, err } = await home.osctl(["runbook", "approve", id]);
  assert.equal(status, 0, err);
  return id;
}

Deno.test("runbook resume refuses a header that is not the one of the start, whatever was changed in it", async () => {
  await withRunHome(async (home) => {
    const { osctl } = home;
    const id = await approve(home);
    const path = `${home.home}/runs/${id}/header.json`;
    const text = await Deno.readTextFile(path);
    const header = JSON.parse(text);
    const { inputs, version: _version, source: _source, ...rest } = header;
    const { token: _token, ...fewer } = inputs;
    const changes: readonly (readonly [string, RegExp])[] = [
      [text.replace('"times": 4', '"times": 5'), /has changed since the run/],
      [JSON.stringify({ ...header, limit: [] }), /has changed since the run/],
      [JSON.stringify({ ...header, inputs: fewer }), /has changed since the/],
      [`${text} `, /has changed since the run started/],
      [JSON.stringify({ ...rest, inputs }), /does not describe a run/],
      [JSON.stringify({ ...rest, ...header, inputs: 1 }), /does not describe/],
    ];
    for (const [changed, reason] of changes) {
      assert.notEqual(changed, text);
      await Deno.writeTextFile(path, changed);
      const { status, err } = await osctl(["runbook", "resume", id]);
      assert.equal(status, 2, err);
      assert.match(err, reason);
      const { out } = await osctl(["runbook", "history", "-o", "json"]);
      assert.match(out, /"state": "damaged"/);
    }
    const intents = (await home.journal()).filter(({ type }) =>
      type === "intent"
    );
    assert.deepEqual(intents, []);
    await Deno.writeTextFile(path, text);
    const { status, err } = await osctl(["runbook", "resume", id]);
    assert.equal(status, 0, err);
  });
});

/** Files of a run that only people read, or whose contents mean nothing. */
const untrusted = /^(events\.jsonl|lock|runbook\/.*)$/;

async function filesIn(folder: string, below = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder + below)) {
    if (isDirectory) found.push(...await filesIn(folder, `${below}/${name}`));
    else found.push(`${below}/${name}`.slice(1));
  }
  return found.toSorted();
}

Deno.test("runbook resume trusts no file of a run that has changed by one byte", async () => {
  await withRunHome(async (home) => {
    const { osctl } = home;
    const id = await approve(home);
    const folder = `${home.home}/runs/${id}`;
    const files = await filesIn(folder);
    const trusted = files.filter((name) => !untrusted.test(name));
    assert.deepEqual(trusted, [
      "header.json",
      "ir.json",
      "journal.jsonl",
      "vault.bin",
    ]);
    for (const name of trusted) {
      const path = `${folder}/${name}`;
      const bytes = await Deno.readFile(path);
      const changed = bytes.slice();
      const middle = bytes.length >> 1;
      changed[middle] = bytes[middle] === 0x37 ? 0x38 : 0x37;
      await Deno.writeFile(path, changed);
      const { status, err } = await osctl(["runbook", "resume", id]);
      assert.equal(status, 2, `${name}: ${err}`);
      await Deno.writeFile(path, bytes);
    }
    const intents = (await home.journal()).filter(({ type }) =>
      type === "intent"
    );
    assert.deepEqual(intents, []);
  });
});

Deno.test("runbook resume continues a run of a version without hashes of headers, unless its header disagrees", async () => {
  await withRunHome(async (home) => {
    const { osctl } = home;
    const id = await approve(home);
    const folder = `${home.home}/runs/${id}`;
    const records = await home.journal();
    let h = "00000000";
    const older = records.slice(1).map((record, i) => {
      const { line, checksum } = encodeRecord(
        wholeRead({ ...record, seq: i + 1, previous: h }),
      );
      h = checksum;
      return `${line}\n`;
    });
    await Deno.writeTextFile(`${folder}/journal.jsonl`, older.join(""));
    const path = `${folder}/header.json`;
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, text.replace('"times": 4', '"times": 5'));
    const changed = await osctl(["runbook", "resume", id]);
    assert.equal(changed.status, 2, changed.err);
    assert.match(changed.err, /has changed since the run started/);
    await Deno.writeTextFile(path, text);
    const { status, err } = await osctl(["runbook", "resume", id]);
    assert.equal(status, 0, err);
    assert.match(err, /The journal has no hash of header\.json/);
  });
});
