import assert from "node:assert/strict";
import { parseSpans } from "../../tools/docs/pictures.ts";
import { needs } from "../_needs.ts";
import { quick } from "../commands/runbook/_home.ts";
import { restarts, withSlowHome } from "./_runs.ts";
import { type Terminal, withTerminal } from "./_terminal.ts";

const player = new URL("_resize_terminal.ts", import.meta.url).pathname;
const main = new URL("../../mod.ts", import.meta.url).pathname;

const widths = [80, 120, 200] as const;

type Pictures = Readonly<Record<(typeof widths)[number], string>>;

const members: Pictures = {
  80: `Read from 10.5.0.2; --all-nodes reads from all 3 nodes
ID                         MACHINE TYPE   OS                 ADDRESSES
simulated-controlplane-1   controlplane   Talos (v1.12.11)   10.5.0.2
simulated-worker-1         worker         Talos (v1.12.11)   10.5.0.3
simulated-worker-2         worker         Talos (v1.12.11)   10.5.0.4
Hidden columns: NAMESPACE, TYPE, VERSION; see -o wide
status 0`,
  120: `Read from 10.5.0.2; --all-nodes reads from all 3 nodes
NODE       NAMESPACE   ID                         HOSTNAME                   MACHINE TYPE   OS                 ADDRESSES
10.5.0.2   cluster     simulated-controlplane-1   simulated-controlplane-1   controlplane   Talos (v1.12.11)   10.5.0.2
10.5.0.2   cluster     simulated-worker-1         simulated-worker-1         worker         Talos (v1.12.11)   10.5.0.3
10.5.0.2   cluster     simulated-worker-2         simulated-worker-2         worker         Talos (v1.12.11)   10.5.0.4
Hidden columns: TYPE, VERSION; see -o wide
status 0`,
  200: `Read from 10.5.0.2; --all-nodes reads from all 3 nodes
NODE       NAMESPACE   TYPE     ID                         VERSION   HOSTNAME                   MACHINE TYPE   OS                 ADDRESSES
10.5.0.2   cluster     Member   simulated-controlplane-1   1         simulated-controlplane-1   controlplane   Talos (v1.12.11)   10.5.0.2
10.5.0.2   cluster     Member   simulated-worker-1         1         simulated-worker-1         worker         Talos (v1.12.11)   10.5.0.3
10.5.0.2   cluster     Member   simulated-worker-2         1         simulated-worker-2         worker         Talos (v1.12.11)   10.5.0.4
status 0`,
};

/** The same at every width. */
const health = `Using control plane 10.5.0.2; choose another with --nodes
Waiting up to 0s for a healthy cluster, checked by 10.5.0.2
discovered nodes: 10.5.0.2, 10.5.0.3, 10.5.0.4
CHECK                                         STATE     TOOK     REASON
etcd to be healthy                            ok        0s
etcd members to be consistent across nodes    ok        0s
etcd members to be control plane nodes        ok        0s
apid to be ready                              ok        0s
all nodes memory sizes                        ok        0s
all nodes disk sizes                          ok        0s
no diagnostics                                ok        0s
kubelet to be healthy                         ok        0s
all nodes to finish boot sequence             ok        0s
all k8s nodes to report                       ok        0s
all control plane static pods to be running   ok        0s
all control plane components to be ready      ok        0s
all k8s nodes to report ready                 ok        0s
kube-proxy to report ready                    ok        0s
coredns to report ready                       ok        0s
all k8s nodes to report schedulable           ok        0s
status 0`;

/** Amounts differ from run to run, so widths of columns do: gaps are written as `|`, digits as `9`. */
const etcd: Pictures = {
  80: `Asking 9 control plane; 9 workers have no etcd
NODE|HOSTNAME|ROLE|MEMBER|DB SIZE
99.9.9.9|simulated-controlplane-9|leader|ID|9 kB
Hidden columns: IN USE, LEADER, RAFT INDEX, RAFT TERM, 9 more; see -o wide
status 9`,
  120: `Asking 9 control plane; 9 workers have no etcd
NODE|HOSTNAME|ROLE|MEMBER|DB SIZE|IN USE|LEADER
99.9.9.9|simulated-controlplane-9|leader|ID|9 kB|9 kB (9.9%)|ID
Hidden columns: RAFT INDEX, RAFT TERM, RAFT APPLIED INDEX, LEARNER, PROTOCOL, STORAGE; see -o wide
status 9`,
  200: `Asking 9 control plane; 9 workers have no etcd
NODE|HOSTNAME|ROLE|MEMBER|DB SIZE|IN USE|LEADER|RAFT INDEX|RAFT TERM|RAFT APPLIED INDEX|LEARNER|PROTOCOL|STORAGE
99.9.9.9|simulated-controlplane-9|leader|ID|9 kB|9 kB (9.9%)|ID|9|9|9|false|9.9.9|9.9.9
status 9`,
};

const error = `error: Unknown resource type "membrs"
hint: Did you mean "members"?
Usage: osctl get <type> [<id>] [flags]
Run "osctl get --help" for its flags
status 2`;

const rebooted = `NODE       OUTCOME   REASON
10.5.0.3   done      ready, v1.12.11
status 0`;

/** A node on its way, in one row. */
const rebooting =
  /^simulated-worker-1 {2}worker {2}running {2}v1\.12\.11 {2}\d+s {2}rebooting\n\n/m;

/** A run on its way; the last line wraps at 80 columns. */
const running =
  /^restarts on simulated {2}running \d+s, since \d\d:\d\d UTC {2}run \S+\n─{40} {2}0 of 2 nodes\n● workers 0\/2\n\n● simulated-worker-1 {2}rebooting.* v1\.12\.11 +\d+s\n○ simulated-worker-2 {2}queued +v1\.12\.11\n\nNext: simulated-worker-2, when simulated-worker-1 is done; one at a time; the\s+first failure stops the run\n/m;

const report = `Run ID in HOME/runs/ID
restarts on simulated succeeded
Run ID, status 0, TIME, took 0s
2 nodes: 2 done

Done
  simulated-worker-1  worker  v1.12.11  0s
  simulated-worker-2  worker  v1.12.11  0s
status 0`;

const watched = `quick on simulated  waiting 0s, since 00:00 UTC  run ID
────────────────────────────────────────  0 of 2 nodes
✓ preflight  ● Approval  ○ workers 0/2

> ○ simulated-worker-1  queued  v1.12.11
  ○ simulated-worker-2  queued  v1.12.11

Approval "start": Touch 2 workers?
  a approves, r refuses`;

const keys =
  "j/k select  enter details  a approve  r refuse  x skip step  s stop  q quit";

/** Text with what differs from run to run replaced. */
function steady(text: string, home: string): string {
  return text.replaceAll(home, "HOME").replace(/\b\d{8}-\w{4}\b/g, "ID")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, "TIME")
    .replace(/\b(?:\d+m)?\d+s\b/g, "0s")
    .replace(/\b\d\d:\d\d UTC\b/g, "00:00 UTC");
}

function amounts(text: string): string {
  return text.replace(/ {3,}/g, "|").replace(/\b[\da-f]{16}\b/g, "ID")
    .replace(/\d+/g, (digits) => digits === "10" ? "99" : "9");
}

/** Screens behind the last prompt of a width, by what was typed; fails where a line has wrapped. */
async function captureScreens(
  { captures }: Terminal,
  columns: number,
): Promise<readonly string[]> {
  const read = async (...flags: readonly string[]) => {
    const text = await captures("-S", "-", ...flags);
    return text.slice(text.lastIndexOf(`$ ${columns} columns\n`))
      .split("\n").map((line) => line.trimEnd());
  };
  const lines = await read();
  assert.deepEqual(lines, await read("-J"), "a line has wrapped");
  return lines.join("\n").split(/^\$ .*\n/m).slice(2);
}

/** Counts texts by colour; fails where one is fixed, so that it could not be read on a light or on a dark ground. */
async function hasThemeColors(
  terminal: Terminal,
  expected: Readonly<Record<string, number>>,
) {
  const spans = parseSpans(await terminal.captures("-e", "-S", "-")).flat();
  const colored = Map.groupBy(
    spans.filter(({ looks }) => looks.length > 0),
    ({ looks, text }) => `${looks.join()} ${text}`,
  );
  const counts = [...colored].map(([text, all]) => [text, all.length]);
  assert.deepEqual(Object.fromEntries(counts), expected);
}

/** Looks at a run that asks, at each width, and approves it. */
async function watches(watch: Terminal, home: string): Promise<void> {
  for (const [i, columns] of widths.entries()) {
    // The height changes with the width, so that the keys move to another row when it is drawn anew.
    const size = { columns, rows: 30 + i };
    await watch.resize(size);
    const screen = await watch.shows(/a approves, r refuses[^]*q quit *\n$/);
    const rows = screen.split("\n").map((line) => line.trimEnd());
    assert.equal(rows.length, size.rows + 1);
    assert.equal(rows[size.rows - 1], keys);
    const text = rows.slice(0, size.rows - 1).join("\n").trimEnd();
    assert.equal(steady(text, home), watched);
  }
  await hasThemeColors(watch, {
    "green ✓": 1,
    "magenta ●": 1,
    "magenta waiting": 1,
    [`dim ${"─".repeat(40)}`]: 1,
    "dim ○": 3,
    "dim queued": 2,
  });
  await watch.type("a");
  await watch.shows(/^Touch 2 workers\? Approve "start"\? \(y\/n\)/m);
  await watch.type("y");
  await watch.shows(/"start" is approved/);
}

Deno.test({
  name:
    "screens fit terminals of 80, 120 and 200 columns, on a light and on a dark ground",
  ...needs("tmux"),
  async fn() {
    await withSlowHome(async ({ home, names, osctl, osconfig, write }) => {
      await write(quick, "asks.runbook.yaml");
      await write(restarts, "restarts.runbook.yaml");
      const env = {
        PATH: Deno.env.get("PATH") ?? "",
        HOME: Deno.env.get("HOME") ?? "",
        DENO_DIR: Deno.env.get("DENO_DIR") ?? "",
        // CI sets it; the screens are looked at in color.
        NO_COLOR: "",
        LC_ALL: "C.UTF-8",
        OSCONFIG: osconfig,
        OS_HOME: home,
        PAGER: "cat",
        USER: "eve",
      };
      const help = (await osctl("--help")).out;
      const run = (program: string, words: readonly string[]) => {
        const quoted = words.map((word) => `'${word}'`).join(" ");
        const deno = `'${Deno.execPath()}' run -A --quiet --no-check`;
        const line = `TERM=screen-256color ${deno} '${program}' ${quoted}`;
        return ["bash", "-c", `cd '${home}'; ${line}; sleep 60`];
      };
      const lines = [
        ...["get members", "health", "etcd status", "get membrs", "--help"],
        `reboot --nodes ${names[1]}`,
        "runbook run restarts.runbook.yaml --yes",
      ];
      const words = [widths.join(), "runbook run asks.runbook.yaml", ...lines];
      await withTerminal(run(player, words), env, async (terminal) => {
        await terminal.shows(/^Approve "start"\? /m);
        const watching = run(main, ["runbook", "watch"]);
        await withTerminal(watching, env, (watch) => watches(watch, home), {
          columns: 80,
          rows: 24,
        });
        for (const columns of widths) {
          await terminal.resize({ columns, rows: 120 });
          await terminal.shows(rebooting);
          await terminal.shows(running);
          await terminal.shows(
            new RegExp(`^\\$ ${columns} columns are done`, "m"),
          );
          const found = await captureScreens(terminal, columns);
          const seen = found.map((text) => steady(text, home).trimEnd());
          assert.equal(amounts(seen.splice(2, 1)[0] ?? ""), etcd[columns]);
          assert.deepEqual(seen.slice(0, lines.length - 1), [
            members[columns],
            health,
            error,
            `${help.trimEnd()}\nstatus 0`,
            rebooted,
            report,
          ]);
        }
        await hasThemeColors(terminal, {
          "green Done": 4,
          "green done": 3,
          "green ok": 48,
          "green succeeded": 4,
        });
      }, { columns: 80, rows: 120 });
    });
  },
});
