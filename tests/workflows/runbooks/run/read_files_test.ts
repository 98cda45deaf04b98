import assert from "node:assert/strict";
import { runbook, withRunHome } from "../../../commands/runbook/_home.ts";

const asking = `  - id: go
    approve: { tag: start, message: "Go?" }
`;

/** Runbooks that read a file, each in another way, and the place that an error names. */
const readers:
  readonly (readonly [name: string, text: string, where: string])[] = [
    [
      "of a step",
      runbook(`${asking}  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: patch, run: config.patch, with: { file: PATCH } }
`),
      'step "patch"',
    ],
    [
      "of an input",
      runbook(
        `${asking}  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: patch, run: config.patch, with: { file: "\${{ inputs.patch }}" } }
`,
        "inputs:\n  patch: { type: path, default: PATCH }\n",
      ),
      'input "patch"',
    ],
    [
      "handed on to a runbook in use",
      runbook(
        `${asking}  - { id: inner, use: ./inner.runbook.yaml, with: { file: "\${{ inputs.patch }}" } }
`,
        "inputs:\n  patch: { type: path, default: PATCH }\n",
      ),
      'input "patch"',
    ],
    [
      "of a runbook in use",
      runbook(`${asking}  - { id: inner, use: ./inner.runbook.yaml }
`),
      'input "file" of runbook "inner"',
    ],
    [
      "set later",
      runbook(
        `${asking}  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: patch, run: config.patch, with: { file: "\${{ inputs.patch }}" } }
`,
        "inputs:\n  patch: { type: string, default: none.yaml, mutable: true }\n",
      ),
      'input "patch"',
    ],
  ];

for (const [name, text, where] of readers) {
  Deno.test(`resumeRun refuses a file ${name} that has changed or is gone`, async () => {
    await withRunHome(async ({ osctl, write, home, cluster }) => {
      const patch = `${home}/patch.yaml`;
      const sysctl = (value: number) =>
        Deno.writeTextFile(
          patch,
          `machine: { sysctls: { vm.nr_hugepages: "${value}" } }\n`,
        );
      await sysctl(1);
      const inner = runbook(
        `  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: patch, run: config.patch, with: { file: "\${{ inputs.file }}" } }
`,
        `inputs:\n  file: { type: path, default: ${patch} }\n`,
      ).replace("name: quick", "name: inner");
      await write(inner, "inner.runbook.yaml");
      const file = await write(text.replaceAll("PATCH", patch));
      const ran = await osctl(["runbook", "run", file]);
      assert.equal(ran.status, 76, ran.err);
      if (name === "set later") {
        const set = ["runbook", "resume", "--set", `patch=${patch}`];
        assert.equal((await osctl(set)).status, 76);
      }
      const resume = ["runbook", "resume", "--yes"];
      await sysctl(2);
      const changed = await osctl(resume);
      const about = `"${patch}" (${where})`;
      const has = `${about} has changed since the run started\n`;
      assert.ok(changed.err.includes(has), changed.err);
      assert.equal(changed.status, 2);
      await Deno.remove(patch);
      const gone = await osctl(resume);
      assert.ok(gone.err.includes(`${about} can no longer be read`), gone.err);
      assert.match(gone.err, /^hint: Restore the file/m);
      assert.equal(gone.status, 2);
      await sysctl(1);
      const resumed = await osctl(resume);
      assert.equal(resumed.status, 0, resumed.err);
      const { configuration = "" } = cluster.nodes.at(-1)!.disk;
      assert.match(configuration, /vm\.nr_hugepages: "1"/);
    });
  });
}

Deno.test("resumeRun --with-runbook checks the files of the new runbook, not those of the old one", async () => {
  await withRunHome(async ({ osctl, write, home, cluster }) => {
    const patch = async (name: string, value: number) => {
      const path = `${home}/${name}.yaml`;
      const text = `machine: { sysctls: { vm.nr_hugepages: "${value}" } }\n`;
      await Deno.writeTextFile(path, text);
      return path;
    };
    const text = (path: string) =>
      runbook(`  - { id: go, approve: { tag: start, message: "Now?" } }
  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: patch, run: config.patch, with: { file: ${path} } }
`);
    const old = await patch("old", 1);
    const ran = await osctl(["runbook", "run", await write(text(old))]);
    assert.equal(ran.status, 76, ran.err);
    await Deno.remove(old);
    const other = await patch("new", 2);
    const better = await write(text(other), "better.runbook.yaml");
    const resume = ["runbook", "resume", "--with-runbook", better];
    const first = await osctl(resume);
    assert.equal(first.status, 76, first.err);
    await patch("new", 3);
    for (const line of [resume, resume.slice(0, 2)]) {
      const changed = await osctl([...line, "--yes"]);
      const about = `"${other}" (step "patch") has changed since the run`;
      assert.ok(changed.err.includes(about), changed.err);
      assert.equal(changed.status, 2);
    }
    await patch("new", 2);
    const resumed = await osctl(["runbook", "resume", "--yes"]);
    assert.equal(resumed.status, 0, resumed.err);
    const { configuration = "" } = cluster.nodes.at(-1)!.disk;
    assert.match(configuration, /vm\.nr_hugepages: "2"/);
  });
});
