import assert from "node:assert/strict";
import { setFault } from "../../simulator/faults/set_fault.ts";
import { run } from "../_run.ts";
import { withWire } from "../_wire.ts";

/** Rows of a table without their first column, cells separated by two spaces or more. */
function cells(out: string): readonly (readonly string[])[] {
  return out.trimEnd().split("\n").map((line) => line.split(/ {2,}/));
}

Deno.test("cgroups shows the groups of simulated nodes: numbers add up and grow, a schema file is read, one node is down", async () => {
  await withWire({ workers: 1 }, async ({ osctl, names, cluster }) => {
    const [first = ""] = names;
    const memory = await osctl(`cgroups --preset memory -n ${first}`);
    assert.deepEqual([memory.err, memory.status], ["", 0]);
    const [header, root, init] = cells(memory.out);
    assert.deepEqual(header?.slice(0, 4), [
      "NODE",
      "NAME",
      "MemCurrent",
      "MemPeak",
    ]);
    assert.deepEqual(root?.slice(0, 3), [first, ".", "unset"]);
    assert.deepEqual(init?.slice(0, 5), [
      first,
      "├──init",
      "85 MiB",
      "106 MiB",
      "192 MiB",
    ]);
    assert.match(memory.out, /│ {3}└──burstable/);
    assert.match(memory.out, /├──kube-system\/kube-flannel-\w+ /);
    assert.match(memory.out, /├──kube-flannel .*\n.*└──sandbox /);

    const folder = await Deno.makeTempDir();
    const schema = `${folder}/columns.yaml`;
    await Deno.writeTextFile(
      schema,
      `columns:
  - { name: Memory, value: memory.current }
  - { name: CPU, value: cpu.stat/usage_usec, format: duration }
  - { name: Read, value: io.stat/*/rbytes, format: bytes }
  - { name: Programs, value: cgroup.procs, format: processes }
`,
    );
    try {
      const line = `cgroups --schema-file ${schema} -o jsonl -n ${first}`;
      const readRows = async () =>
        (await osctl(line)).out.trim().split("\n").map((row) =>
          JSON.parse(row)
        );
      const rows = await readRows();
      const at = (path: string) => rows.find((row) => row.path === path);
      const below = rows.filter(({ path }) => /^podruntime\/[^/]+$/.test(path));
      const sum = (key: string) =>
        below.reduce((sum, { values }) => sum + values[key], 0);
      assert.equal(at("podruntime").values.Memory, sum("Memory"));
      assert.ok(Math.abs(at("podruntime").values.CPU - sum("CPU")) < 1e-5);
      assert.deepEqual(at("init").values.Programs, ["init"]);
      assert.deepEqual(Object.keys(at("init").values.Read), ["vda"]);
      const later = await readRows();
      assert.ok(later[0].values.CPU > rows[0].values.CPU);
      await Deno.writeTextFile(schema, "columns:\n- nam: x\n");
      const wrong = await osctl(`cgroups --schema-file ${schema}`);
      assert.match(
        wrong.err,
        /columns\.yaml" at line 2, column 3: unknown key "nam"\nhint: Did you mean "name"\?/,
      );
      assert.equal(wrong.status, 2);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }

    const plain = await osctl(
      `cg --preset process --skip-cri-resolve -n ${first}`,
    );
    assert.match(plain.out, /──pod[0-9a-f-]{36} /);
    assert.match(plain.out, / \[pause\]\n/);
    await setFault(cluster.nodes[1]!, "unavailable");
    const partial = await osctl("cgroups --preset io -o jsonpath={.node}");
    assert.deepEqual([...new Set(partial.out.trim().split("\n"))], [first]);
    assert.equal(partial.status, 3);
    assert.match(
      partial.err,
      /^error: simulated-worker-1 \(10\.5\.0\.3\): cannot connect to .*\nhint: .*\n$/,
    );
  });
});

Deno.test("cgroups needs either a preset or a schema file that exists", async () => {
  for (
    const [flags, message] of [
      ["", "Either --preset or --schema-file is required"],
      [
        "--preset cpu --schema-file x",
        "Flags --preset and --schema-file cannot be combined",
      ],
      ["--schema-file /nowhere/x", 'Cannot read "/nowhere/x": no such file'],
      [
        "--preset disk",
        'Invalid value "disk" for --preset: must be one of cpu, cpuset, io, memory, process, psi, swap',
      ],
    ] as const
  ) {
    const { err, status } = await run(`cgroups ${flags}`);
    assert.equal(err.split("\n")[0], `error: ${message}`);
    assert.equal(status, 2);
  }
});
