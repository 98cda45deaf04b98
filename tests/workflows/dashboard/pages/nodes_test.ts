import assert from "node:assert/strict";
import { lineText, type ScreenLine } from "../../../../terminal/screen_line.ts";
import {
  etcd,
  type EtcdView,
  health,
  resources,
  vitals,
} from "../../../../workflows/dashboard/feeds/all.ts";
import { nodesPage } from "../../../../workflows/dashboard/pages/nodes.ts";
import { makeData, makeMap, pageContext, renderPage } from "../_data.ts";

const well = {
  stage: "running",
  ready: true,
  unmet: [],
  version: "v1.12.11",
  hostname: "cp-1",
  role: "controlplane",
};

/** Styles of a line by the text they are given to. */
function styles(
  line: ScreenLine,
): Readonly<Record<string, string | undefined>> {
  return typeof line === "string" ? {} : Object.fromEntries(
    line.filter(({ style }) => style !== undefined)
      .map(({ text, style }) => [text.trim(), style]),
  );
}

Deno.test("Nodes shows the worst nodes first, each with why", () => {
  const unready = {
    ...well,
    ready: false,
    unmet: ["services: kubelet is not healthy"],
    hostname: "w-1",
    role: "worker",
  };
  const nodes = ["10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5", "10.0.0.6"];
  const data = makeData([
    ["10.0.0.2", health, { value: well }],
    ["10.0.0.2", vitals, {
      value: {
        processors: 0.125,
        memory: 0.95,
        load: 1.5,
        series: { processors: [0, 0.5, 1, 0.125], memory: [0.95] },
        times: {},
      },
    }],
    ["10.0.0.3", health, { value: unready }],
    ["10.0.0.4", health, {
      value: { ...well, hostname: "cp-3" },
      problem: "connection refused",
      isAway: true,
    }],
    // What it used before is not what it uses.
    ["10.0.0.4", vitals, {
      value: {
        processors: 0.5,
        memory: 0.5,
        load: 1,
        series: { processors: [0.5], memory: [0.5] },
        times: {},
      },
      problem: "connection refused",
      isAway: true,
    }],
    ["10.0.0.5", health, { problem: "not authorized", isAway: false }],
  ]);
  const context = pageContext(data, { nodes, columns: 120 });
  assert.deepEqual(renderPage(nodesPage, context), [
    "NODE      HOSTNAME  STAGE      READY  VERSION   CPU          MEM          LOAD  ROLE          NOTE",
    "10.0.0.4  cp-3      down       -      v1.12.11  -            -            -     controlplane  connection refused",
    "10.0.0.5  -         no access  -      -         -            -            -     -             not authorized",
    "10.0.0.3  w-1       running    no     v1.12.11  -            -            -     worker        services: kubelet is not healthy",
    "10.0.0.6  -         ...        -      -         -            -            -     -",
    "10.0.0.2  cp-1      running    yes    v1.12.11     ▁▄█▁ 13%        █ 95%  1.50  controlplane",
  ]);
  const { rows } = nodesPage.draw(context);
  assert.deepEqual(rows.map(({ id }) => id.at(-1)), ["4", "5", "3", "6", "2"]);
  assert.equal(styles(rows[0]!.line).down, "bad");
  assert.equal(styles(rows[4]!.line)["█ 95%"], "bad");
  assert.equal(styles(rows[4]!.line)["▁▄█▁ 13%"], "good");
  assert.equal(
    lineText(nodesPage.header!(context)),
    "5 nodes: 1 down, 1 without access, 1 not ready, 1 not checked yet, 1 ready",
  );
  // The least important columns go first.
  assert.equal(
    renderPage(nodesPage, pageContext(data, { nodes, columns: 66 }))[1],
    "10.0.0.4  cp-3      down       v1.12.11  -     -     cp",
  );
  assert.equal(
    renderPage(nodesPage, pageContext(data, { nodes, columns: 45 }))[3],
    "10.0.0.3  w-1       not ready  v1.12.11",
  );
});

Deno.test("Nodes keeps name, condition, version and shares at 80 columns, also with long names", () => {
  const node = "172.20.100.12";
  const series = { processors: [0.1, 0.5, 0.2], memory: [0.5] };
  const reading = { processors: 0.2, memory: 0.5, load: 1, series, times: {} };
  const context = (hostname: string, columns: number) =>
    pageContext(
      makeData([
        [node, health, { value: { ...well, hostname } }],
        [node, vitals, { value: reading }],
      ]),
      { nodes: [node], columns },
    );
  assert.deepEqual(renderPage(nodesPage, context("fleet-controlplane-1", 80)), [
    "NODE           HOSTNAME              STAGE    VERSION   CPU   MEM   LOAD  ROLE",
    "172.20.100.12  fleet-controlplane-1  running  v1.12.11   20%   50%  1.00  cp",
  ]);
  // A name is only cut where the columns leave no room for it.
  assert.equal(
    renderPage(nodesPage, context("os-default-controlplane-1", 80))[1],
    "172.20.100.12  os-default-controlplane-1  running  v1.12.11   20%   50%  cp",
  );
  const long = "rack-12-unit-7.fra1.metal.example.org";
  assert.equal(
    renderPage(nodesPage, context(long, 80))[1],
    "172.20.100.12  rack-12-u….metal.example.org  running  v1.12.11   20%   50%  cp",
  );
  assert.match(
    renderPage(nodesPage, context(long, 200))[1] ?? "",
    / {2}rack-12-unit-7\.fra1\.metal\.example\.org {2}running/,
  );
});

Deno.test("Nodes that are down take no column and no part of a name from the others", () => {
  const names = ["controlplane-1", "controlplane-2", "worker-1"];
  const nodes = names.map((_, i) => `127.103.183.${i + 2}`);
  const series = { processors: [0.1], memory: [0.5] };
  const use = { processors: 0.1, memory: 0.5, load: 1, series, times: {} };
  const problem = "cannot connect to 127.103.183.9:50000: connection refused";
  const data = makeData(nodes.flatMap((node, i) => {
    const hostname = `os-default-${names[i]}`;
    const role = names[i]?.slice(0, -2) ?? "";
    const value = { ...well, hostname, role };
    return [
      [node, health, i === 0 ? { value } : { value, problem, isAway: true }],
      [node, vitals, { value: use }],
    ] as const;
  }));
  assert.deepEqual(renderPage(nodesPage, pageContext(data, { nodes })), [
    "NODE           HOSTNAME                   STAGE    VERSION   CPU   MEM   ROLE",
    "127.103.183.3  os-default-controlplane-2  down     v1.12.11  -     -     cp",
    "127.103.183.4  os-default-worker-1        down     v1.12.11  -     -     worker",
    "127.103.183.2  os-default-controlplane-1  running  v1.12.11   10%   50%  cp",
  ]);
  // The note has the reason alone; the status line has all of it.
  const wide = pageContext(data, { nodes, columns: 120 });
  assert.match(renderPage(nodesPage, wide)[1]!, / {2}connection refused$/);
  assert.deepEqual(nodesPage.draw(wide).rows.map(({ note }) => note), [
    `os-default-controlplane-2: ${problem}`,
    `os-default-worker-1: ${problem}`,
    "",
  ]);
});

Deno.test("Nodes shows above the nodes what needs attention: alarms and members of etcd", () => {
  const nodes = ["10.0.0.2", "10.0.0.3"];
  const member = (number: number, more = {}) => ({
    id: `000000000000000${number}`,
    hostname: `cp-${number}`,
    address: nodes[number - 1] ?? "",
    isLearner: false,
    status: {
      leader: "0000000000000001",
      size: 20_000,
      used: 10_000,
      raftIndex: 90,
      raftTerm: 2,
      errors: ["memberID:2 alarm:NOSPACE "],
    },
    ...more,
  });
  const attention = (value: EtcdView) => {
    const data = makeData([
      ["10.0.0.2", health, { value: well }],
      ["10.0.0.3", health, { value: well }],
      ["10.0.0.2", etcd, { value }],
    ]);
    const { head } = nodesPage.draw(pageContext(data, { nodes }));
    return head.slice(0, -1).map(lineText);
  };
  const [node, members] = ["10.0.0.2", [member(1), member(2)]];
  assert.deepEqual(attention({ node, members, alarms: [] }), []);
  assert.deepEqual(
    attention({
      node,
      members,
      alarms: [{ name: "NOSPACE", member: "0000000000000002" }],
    }),
    ["etcd (F5): NOSPACE on cp-2"],
  );
  // The member is named; the address says nothing more.
  const problem = "cannot connect to 10.0.0.3:50000: connection refused";
  assert.deepEqual(
    attention({
      node,
      members: [member(1), member(2, { status: undefined, problem })],
      alarms: [],
    }),
    ["etcd (F5): no quorum; cp-2 is down: connection refused"],
  );
});

Deno.test("Nodes names a node that has never answered as its cluster does, and shows which are cordoned", () => {
  const nodes = ["10.0.0.2", "10.0.0.3"];
  const data = makeData([
    ["10.0.0.2", health, { value: well }],
    ["10.0.0.3", health, { problem: "connection refused", isAway: true }],
    ["10.0.0.2", resources("k8s", "NodeStatuses.kubernetes"), {
      value: makeMap({ "cp-1": "nodename: cp-1\nunschedulable: true\n" }),
    }],
    ["10.0.0.2", resources("cluster", "Members.cluster"), {
      value: makeMap({
        "w-1": "addresses: [10.0.0.3]\nhostname: w-1\nmachineType: worker\n",
      }),
    }],
  ]);
  assert.deepEqual(
    renderPage(nodesPage, pageContext(data, { nodes, columns: 110 })).slice(1),
    [
      "10.0.0.3  w-1       down     -      -         -    -    -     worker        connection refused",
      "10.0.0.2  cp-1      running  yes    v1.12.11  -    -    -     controlplane  cordoned",
    ],
  );
});

Deno.test("Nodes marks values of a node that is late, and keeps histories beside a short note", () => {
  const nodes = ["10.0.0.2"];
  const series = { processors: [0.1, 0.2], memory: [0.5, 0.5] };
  const data = makeData([
    ["10.0.0.2", health, { value: well, lateMs: 4_900 }],
    ["10.0.0.2", vitals, {
      value: { processors: 0.2, memory: 0.5, load: 1, series, times: {} },
    }],
  ]);
  const context = pageContext(data, { nodes, columns: 120 });
  assert.match(
    renderPage(nodesPage, context)[1]!,
    /^10\.0\.0\.2 .* running .* +[▁-█]+ 20% +[▁-█]+ 50% .* no answer for 4s$/,
  );
  const [row] = nodesPage.draw(context).rows;
  assert.deepEqual(styles(row!.line), {
    running: "changing",
    yes: "good",
    "▄▇ 20%": "good",
    "▄▄ 50%": "good",
    "no answer for 4s": "changing",
  });
});
