import assert from "node:assert/strict";
import { entries } from "../../../commands/_index.ts";
import {
  conformance,
  type ConformanceOptions,
  type Deviation,
  formatReport,
} from "../../../tools/conformance/conformance.ts";
import {
  readCommands,
  staleNames,
  untried,
} from "../../../tools/conformance/read_commands.ts";
import {
  type Answer,
  osctlWith,
} from "../../../tools/conformance/run_osctl.ts";
import { withCluster } from "../../_cluster.ts";
import { withFolder } from "../../_folder.ts";

/** Waits for what must not come take a minute each. */
export const longestSeconds = 180;

async function findProblems(options: ConformanceOptions): Promise<Deviation[]> {
  const found = await Array.fromAsync(conformance(options));
  return found.filter(({ problem }) => problem !== "");
}

/** Client configuration of a cluster, in a folder that is there as long as `use` takes. */
async function withOsconfig(
  use: (
    cluster: Parameters<Parameters<typeof withCluster>[1]>[0],
    folder: string,
  ) => Promise<void>,
  options: Parameters<typeof withCluster>[0] = {},
) {
  await withCluster({ workers: 1, ...options }, async (cluster) => {
    const { ca, crt, key } = cluster.adminIdentity;
    const { endpoints } = cluster;
    const lab = { endpoints, ca: btoa(ca), crt: btoa(crt), key: btoa(key) };
    const osconfig = { context: "lab", contexts: { lab } };
    const files = { config: JSON.stringify(osconfig) };
    await withFolder(files, (folder) => use(cluster, folder));
  });
}

// In parts, as no test may take long.
for (const [from, to] of [["a", "e"], ["f", "l"], ["m", "z"]] as const) {
  Deno.test(`osctl conforms to itself on simulated nodes: commands ${from} to ${to}`, async () => {
    await withOsconfig(async ({ nodes }, folder) => {
      const real = osctlWith(`${folder}/config`);
      const problems = await findProblems({
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
        entries: entries.filter(({ name: [first = ""] }) =>
          from <= first && first <= to
        ),
      });
      assert.deepEqual(problems, []);
    });
  });
}

Deno.test("nodes of v1.8 conform, which have no resource for their version", async () => {
  await withOsconfig(async ({ nodes }, folder) => {
    const real = osctlWith(`${folder}/config`);
    const checks = await Array.fromAsync(conformance({
      // Types are all read the same way.
      osctl: (...words) =>
        words.slice(0, 3).join(" ") === "get rd --nodes"
          ? Promise.resolve({ out: "", err: "", status: 0 })
          : real(...words),
      nodes: nodes.map(({ identity }) => identity.address),
      entries: [],
    }));
    assert.deepEqual(
      checks,
      [
        "osctl service and get services",
        "osctl disks and get disks",
        "osctl time and the clock of this machine",
        "osctl etcd members and etcd status",
        "osctl etcd members and get members",
      ].map((check) => ({ check, problem: "" })),
    );
  }, { release: { tag: "v1.8.4" } });
});

Deno.test("one of three control planes conforms alone, and a member that it does not list is a problem", async () => {
  const withMembers = async (at: number, unlisted = false) => {
    const found: Deviation[] = [];
    await withOsconfig(async ({ nodes }, folder) => {
      const real = osctlWith(`${folder}/config`);
      found.push(
        ...await findProblems({
          osctl: async (...words) => {
            const line = words.slice(0, 2).join(" ");
            if (line === "get rd") return { out: "", err: "", status: 0 };
            const answer = await real(...words);
            if (!unlisted || line !== "etcd members") return answer;
            const [first] = answer.out.split("\n");
            const { id } = JSON.parse(first!);
            return { ...answer, out: answer.out.replaceAll(id, "1234") };
          },
          nodes: nodes.slice(0, at).map(({ identity }) => identity.address),
          entries: [],
        }),
      );
    }, { controlplanes: 3, workers: 0 });
    return found.map(({ check }) => check);
  };
  assert.deepEqual(await withMembers(1), []);
  assert.deepEqual(await withMembers(3, true), [
    "osctl etcd members and etcd status",
  ]);
});

Deno.test("a node that fails meanwhile is a problem of the checks, which go on", async () => {
  const failed = '{"node":"a","error":{"code":"UNAVAILABLE","message":"x"}}';
  const problems = await findProblems({
    osctl: (command = "", argument = "") => {
      const line = `${command} ${argument}`;
      const running = '{"node":"a","id":"apid","state":"Running"}';
      const out = line === "service --nodes"
        ? running
        : /^get (rd|services|disks)$/.test(line)
        ? failed
        : "";
      return Promise.resolve({ out, err: "", status: 0 });
    },
    nodes: ["a"],
    entries: [],
  });
  assert.deepEqual(problems, [
    { check: "osctl service and get services", problem: "a apid is not\n" },
  ]);
});

Deno.test("a disruptive run reboots one worker, tries a configuration on it and saves etcd", async () => {
  await withOsconfig(async ({ nodes }, folder) => {
    const worker = nodes[1]!;
    const asked: string[] = [];
    const real = osctlWith(`${folder}/config`);
    const problems = await findProblems({
      osctl: (...words) => {
        asked.push(words.slice(0, 2).join(" "));
        return words[0] === "get" && words[1] === "rd"
          ? Promise.resolve({ out: "", err: "", status: 0 })
          : real(...words);
      },
      nodes: nodes.map(({ identity }) => identity.address),
      entries: [],
      worker: worker.identity.address,
      snapshot: `${folder}/etcd.snapshot`,
    });
    assert.deepEqual(problems, []);
    assert.deepEqual(asked.slice(-4), [
      "reboot --nodes",
      "patch machineconfig",
      "etcd snapshot",
      "etcd snapshot",
    ]);
    assert.equal(worker.counts.boots, 2);
    assert.ok((await Deno.stat(`${folder}/etcd.snapshot`)).size > 0);
  });
});

Deno.test("every command that reads is tried, or it is said why not", async () => {
  assert.deepEqual(staleNames(entries), []);
  const tried = new Map(
    (await readCommands(entries)).map(({ name, ...how }) => [name, how]),
  );
  const { line, asks, rows } = tried.get("etcd status")!;
  assert.deepEqual([line, asks, rows], ["etcd status", "controlplanes", true]);
  assert.deepEqual(tried.get("logs"), {
    line: "logs machined --tail 5",
    asks: "all",
    rows: true,
    stream: "--follow",
  });
  assert.deepEqual(tried.get("service")?.line, "service");
  for (const changing of ["reboot", "apply-config", "etcd leave"]) {
    assert.equal(tried.has(changing), false, changing);
  }
  // A command of whose kind nothing is known is neither tried nor excused.
  const load = entries.find(({ name }) => name === "memory")!.load!;
  const added = await readCommands([{ name: "added", summary: "", load }]);
  assert.deepEqual(added.map(({ name, asks }) => [name, asks]), [
    ["added", "all"],
  ]);
  assert.ok("runbook" in untried);
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
  const problems = await findProblems({
    osctl(command = "", argument = "", ...rest) {
      const line = argument === "--nodes" ? command : `${command} ${argument}`;
      const format = [argument, ...rest].at(-1);
      const { out = "", ...known } = answers[line] ?? {};
      const shown = format === "yaml" ? "{" : format === "table" ? "" : out;
      return Promise.resolve({ out: shown, err: "", status: 0, ...known });
    },
    nodes: ["a"],
  });
  const reported = problems.map(({ check, problem }) => `${check}: ${problem}`);
  for (
    const wanted of [
      /^osctl version -o yaml: cannot be read: /,
      /^osctl version -o table: no output$/,
      /^osctl read \/proc\/version: no output$/,
      /^osctl get disks\.x: status 3: error: a: unavailable$/,
      /^osctl version and get version: a v1 is not\na v2$/,
      /^osctl time and the clock of this machine: a is more than a minute off$/,
    ]
  ) assert.ok(reported.some((line) => wanted.test(line)), String(wanted));
  assert.equal(reported.some((line) => line.includes("etcd")), false);
});

Deno.test("a report has the problems first, and no keys", () => {
  assert.equal(
    formatReport([
      { check: "osctl version -o json", problem: "" },
      { check: "osctl dmesg", problem: "-----BEGIN PRIVATE KEY-----" },
    ], {
      version: "v0.1.0",
      tags: ["v1.12.11", "v1.12.11", "v1.11.6"],
      date: new Date("2026-01-02T03:04:05Z"),
    }),
    `# Conformance of osctl v0.1.0

- Date: 2026-01-02
- Nodes: 2 of v1.12.11, 1 of v1.11.6
- Checks: 2
- Problems: 1

## Problems

- \`osctl dmesg\`: ***

## Checks

- \`osctl version -o json\`
- \`osctl dmesg\`
`,
  );
});
