import assert from "node:assert/strict";
import {
  type Answer,
  conformance,
  type ConformanceOptions,
  type Finding,
  osctlWith,
  reportOf,
} from "../../tools/conformance.ts";
import { withCluster } from "../_cluster.ts";
import { withFolder } from "../_folder.ts";

/** What was found, problems only. */
async function problemsOf(options: ConformanceOptions): Promise<Finding[]> {
  const found = await Array.fromAsync(conformance(options));
  return found.filter(({ problem }) => problem !== "");
}

Deno.test("osctl conforms to itself on simulated nodes, a worker's reboot and trial included", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    const { ca, crt, key } = cluster.adminIdentity;
    const { endpoints, nodes } = cluster;
    const lab = { endpoints, ca: btoa(ca), crt: btoa(crt), key: btoa(key) };
    const osconfig = { context: "lab", contexts: { lab } };
    const files = { config: JSON.stringify(osconfig) };
    await withFolder(files, async (folder) => {
      const real = osctlWith(`${folder}/config`);
      const worker = nodes[1]!;
      const problems = await problemsOf({
        // Types are all read the same way; two of them are enough here.
        osctl: async (...words) => {
          const isType = /^get [a-z]+s\.[a-z.]+$/.test(
            words.slice(0, 2).join(" "),
          );
          return isType && !/^(members|links)/.test(words[1]!)
            ? { out: "", err: "", status: 0 }
            : await real(...words);
        },
        nodes: nodes.map(({ identity }) => identity.address),
        worker: worker.identity.address,
        snapshot: `${folder}/etcd.snapshot`,
      });
      assert.deepEqual(problems, []);
      assert.equal(worker.counts.boots, 2);
      assert.ok((await Deno.stat(`${folder}/etcd.snapshot`)).size > 0);
    });
  });
});

Deno.test("every way not to conform is reported", async () => {
  const answers: Readonly<Record<string, Partial<Answer>>> = {
    "get machinetype": { out: '{"node":"a","spec":"worker"}' },
    "get rd": { out: '{"node":"a","metadata":{"id":"disks.x"}}' },
    "get disks.x": { status: 3, err: "error: a: unavailable\nhint: x" },
    "version": { out: '{"node":"a","tag":"v1"}' },
    "get version": { out: '{"node":"a","spec":{"version":"v2"}}' },
    "time": { out: '{"node":"a","nodeTime":"2020-01-01T00:00:00Z"}' },
  };
  const problems = await problemsOf({
    osctl(command = "", argument = "", ...rest) {
      const line = argument === "--nodes" ? command : `${command} ${argument}`;
      const format = [argument, ...rest].at(-1);
      const { out = "", ...known } = answers[line] ?? {};
      const shown = format === "yaml" ? "{" : format === "table" ? "" : out;
      return Promise.resolve({ out: shown, err: "", status: 0, ...known });
    },
    nodes: ["a"],
  });
  const told = problems.map(({ check, problem }) => `${check}: ${problem}`);
  for (
    const wanted of [
      /^osctl version -o yaml: cannot be read: /,
      /^osctl version -o table: no output$/,
      /^osctl dmesg: no output$/,
      /^osctl get disks\.x: status 3: error: a: unavailable$/,
      /^osctl version and get version: a v1 is not\na v2$/,
      /^osctl time and the clock of this machine: a is more than a minute off$/,
    ]
  ) assert.ok(told.some((line) => wanted.test(line)), String(wanted));
  assert.equal(told.some((line) => line.includes("etcd")), false);
});

Deno.test("a report has the problems first, and no keys", () => {
  assert.equal(
    reportOf([
      { check: "osctl version -o json", problem: "" },
      { check: "osctl dmesg", problem: "-----BEGIN PRIVATE KEY-----" },
    ], { version: "v0.1.0", date: new Date("2026-01-02T03:04:05Z") }),
    `# Conformance of osctl v0.1.0

2026-01-02: 2 checks, 1 problems

- \`osctl dmesg\`: ***

Checked: \`osctl version -o json\`, \`osctl dmesg\`
`,
  );
});
