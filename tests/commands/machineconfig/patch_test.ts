import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { run } from "../../_run.ts";

const worker = `version: ""
machine:
    type: worker
    token: ""
    certSANs: []
cluster: null
`;
const named = worker.replace('token: ""', "token: a");

function patch(folder: string, ...words: readonly string[]) {
  return run(["machineconfig", "patch", `${folder}/c.yaml`, ...words]);
}

Deno.test("machineconfig patch writes the result, and a line break as talosctl does", () =>
  withFolder(
    { "c.yaml": worker, "p.yaml": "machine: {token: a}" },
    async (folder) => {
      for (
        const value of [
          "machine: {token: a}",
          `@${folder}/p.yaml`,
          `${folder}/p.yaml`,
        ]
      ) {
        const { out, err, status } = await patch(folder, "-p", value);
        assert.equal(out, `${named}\n`);
        assert.equal(err, "");
        assert.equal(status, 0);
      }
      assert.equal(await Deno.readTextFile(`${folder}/c.yaml`), worker);
    },
  ));

Deno.test("machineconfig patch without patches shows the file as it is, whatever it is", () =>
  withFolder({ "c.yaml": "- anything: [\n" }, async (folder) => {
    const { out, err, status } = await patch(folder);
    assert.deepEqual([out, err, status], ["- anything: [\n\n", "", 0]);
  }));

Deno.test("machineconfig patch writes files that only their owner can read, over old ones too", () =>
  withFolder({ "c.yaml": worker, "old.yaml": "old" }, async (folder) => {
    await Deno.chmod(`${folder}/old.yaml`, 0o644);
    for (const name of ["new.yaml", "deep/er/new.yaml", "old.yaml", "c.yaml"]) {
      const path = `${folder}/${name}`;
      const { out, err, status } = await patch(
        folder,
        "-p",
        "machine: {token: a}",
        "-o",
        path,
      );
      assert.equal(out, "");
      assert.equal(status, 0);
      assert.equal(err, "");
      assert.equal(await Deno.readTextFile(path), named);
      const { mode } = await Deno.stat(path);
      assert.equal((mode ?? 0) & 0o777, 0o600);
    }
  }));

Deno.test("machineconfig patch says what a patch did not do", () =>
  withFolder({ "c.yaml": `${worker}# mine\n` }, async (folder) => {
    const { out, err, status } = await patch(
      folder,
      ...["-p", "machine: {sysctls: {$patch: delete}}", "-p", " "],
    );
    assert.equal(out, `${worker}# mine\n\n`);
    assert.equal(
      err,
      "nothing to delete: there is no machine.sysctls\n" +
        'patch "patch 1" changes nothing\npatch "patch 2" changes nothing\n',
    );
    assert.equal(status, 0);
  }));

const wrong: readonly (readonly [string, readonly string[], string])[] = [
  [
    "a patch with a wrong key",
    ["-p", "machine: {typ: a}"],
    'Cannot use patch "patch 1": patch 1:1:11: machine.typ: Unknown key "typ" (Did you mean "type"?)',
  ],
  [
    "a file that is not there",
    ["-p", "@nope.yaml"],
    'Cannot read "nope.yaml": no such file',
  ],
  [
    "a JSON patch that finds nothing",
    ["-p", "[{op: remove, path: /x}]"],
    'Cannot apply JSON patch "patch 1" at line 1, column 2: remove finds no value at /x',
  ],
];

for (const [name, words, message] of wrong) {
  Deno.test(`machineconfig patch refuses ${name} and writes nothing`, () =>
    withFolder({ "c.yaml": worker }, async (folder) => {
      const { out, err, status } = await patch(
        folder,
        ...words,
        "-o",
        `${folder}/new.yaml`,
      );
      assert.equal(out, "");
      assert.equal(err.split("\n")[0], `error: ${message}`);
      assert.equal(status, 2);
      await assert.rejects(
        Deno.stat(`${folder}/new.yaml`),
        Deno.errors.NotFound,
      );
    }));
}
