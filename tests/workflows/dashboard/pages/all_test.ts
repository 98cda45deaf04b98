import assert from "node:assert/strict";
import {
  etcd,
  health,
  logTail,
  metrics,
  resources,
  runFeeds,
  services,
  types,
} from "../../../../workflows/dashboard/feeds/all.ts";
import { pages } from "../../../../workflows/dashboard/pages/all.ts";
import type { Page } from "../../../../workflows/dashboard/pages/page.ts";
import {
  type Known,
  makeData,
  makeMap,
  noon,
  pageContext,
  renderPage,
} from "../_data.ts";

const node = "10.0.0.2";

function page(name: string): Page {
  return pages.find((one) => one.name === name)!; // a test names one there is
}

const well = {
  stage: "running",
  ready: true,
  unmet: [],
  version: "v1.12.11",
  hostname: "cp-1",
  role: "controlplane",
};

Deno.test("Summary shows a node at a glance, in as many columns as there is room for", () => {
  const known: readonly Known[] = [
    [node, health, {
      value: { ...well, ready: false, unmet: ["time: not in sync"] },
    }],
    [node, services, {
      value: [
        { id: "etcd", state: "Running", isHealthy: true },
        { id: "kubelet", state: "Running", isHealthy: false },
      ],
    }],
    [node, logTail("kernel"), {
      value: { lines: ["first", "kern: err: second"], dropped: 0 },
    }],
    [
      node,
      resources("cluster", "Infos.cluster", "current"),
      { value: makeMap({ current: "clusterName: lab\n" }) },
    ],
    [
      node,
      resources("cluster", "Members.cluster"),
      { value: makeMap({ "cp-1": "hostname: cp-1\n" }) },
    ],
    [
      node,
      resources("k8s", "KubeletSpecs.kubernetes", "kubelet"),
      { value: makeMap({ kubelet: "image: example.com/kubelet:v1.34.1\n" }) },
    ],
    [node, resources("config", "MachineTypes.config", "machine-type"), {
      value: makeMap({ "machine-type": "controlplane\n" }),
    }],
    [node, resources("runtime", "Diagnostics.runtime"), {
      value: makeMap({
        "address-overlap":
          "message: addresses overlap\ndetails: [10.0.0.0/8]\n",
      }),
    }],
  ];
  const context = pageContext(makeData(known), { columns: 100 });
  assert.deepEqual(renderPage(page("Summary"), context), [
    "UUID       n/a               TYPE       controlplane   HOST         n/a",
    "CLUSTER    lab (1 machine)   KUBERNETES v1.34.1        IP           n/a",
    "STAGE      running           KUBELET    unhealthy      GW           n/a",
    "READY      no                                          CONNECTIVITY n/a",
    "SECUREBOOT n/a                                         DNS          n/a",
    "                                                       NTP          n/a",
    "Not ready: time: not in sync",
    "Diagnostics",
    "address-overlap: addresses overlap",
    "  10.0.0.0/8",
    "Services",
    "etcd healthy  kubelet unhealthy",
    "Kernel log",
    "first",
    "kern: err: second",
  ]);
  // One block below the other.
  const narrow = renderPage(
    page("Summary"),
    pageContext(makeData(known), { columns: 30 }),
  );
  assert.deepEqual(narrow.slice(4, 7), [
    "SECUREBOOT n/a",
    "TYPE       controlplane",
    "KUBERNETES v1.34.1",
  ]);
});

Deno.test("Monitor shows shares, rates, what they were before, and the busiest processes", () => {
  const process = {
    pid: 7,
    ppid: 1,
    state: "S",
    threads: 3,
    cpuTime: 65.4,
    virtualMemory: 2_000_000_000n,
    residentMemory: 100_000_000n,
    command: "etcd",
    executable: "/bin/etcd",
    args: "etcd --name cp-1",
    label: "",
  };
  const shares = {
    used: 0.75,
    user: 0.5,
    nice: 0,
    system: 0.2,
    idle: 0.25,
    iowait: 0.01,
    irq: 0.05,
    steal: 0,
    seconds: 12,
  };
  const rates = {
    contextSwitches: 5200,
    created: 3,
    received: 1_500_000,
    sent: 20,
    read: 0,
    written: 4_096,
  };
  const flat = [0, 0.5, 1];
  const value = {
    version: "v1.12.11",
    bootTime: noon / 1000 - 60,
    processorCount: 4,
    processorText: "4x2.5GHz",
    shares,
    memory: undefined,
    memoryShare: 0.5,
    load: [1, 0.5, 0.25],
    running: 2,
    blocked: 1,
    rates,
    processes: [{ process, processors: 1.5 }],
    series: {
      user: flat,
      system: flat,
      memory: flat,
      load: flat,
      received: flat,
      sent: flat,
      read: [0, 0, 0],
      written: flat,
    },
    counters: { ...rates, at: noon, times: {}, processes: new Map() },
  };
  const context = pageContext(makeData([[node, metrics, { value }]]), {
    columns: 44,
  });
  assert.deepEqual(renderPage(page("Monitor"), context), [
    "CPU [#######################        ]  75.0%",
    "MEM [################               ]  50.0%",
    "CPU    4x2.5GHz",
    "USER   50.0%  nice 0.0%",
    "SYSTEM 20.0%  irq 5.0%",
    "IDLE   25.0%  wait 1.0%",
    "STEAL  0.0%",
    "LOAD     1.00  0.50  0.25",
    "RUNNING  2  blocked 1",
    "CREATED  3.0/s",
    "SWITCHES 5200/s",
    "MEMORY  n/a  free n/a",
    "BUFFERS n/a  cache n/a",
    "SHARED  n/a",
    "SWAPPED n/a",
    "CPU USER                     ▁▄█ 50.0%",
    "CPU SYSTEM                   ▁▄█ 20.0%",
    "MEM USED                     ▁▄█ 50.0%",
    "LOAD                         ▁▁▂ 1.00",
    "NET RX                       ▁▄█ 1.5 MB/s",
    "NET TX                       ▁▄█ 20 B/s",
    "DISK READ                    ▁▁▁ 0 B/s",
    "DISK WRITE                   ▁▄█ 4.1 kB/s",
    "PID  CPU%   RES     TIME+  COMMAND",
    "7    150.0  100 MB  1m5s   etcd --name cp-1",
  ]);
  const failed = makeData([[node, metrics, { problem: "refused" }]]);
  assert.deepEqual(renderPage(page("Monitor"), pageContext(failed)), [
    "refused",
  ]);
});

Deno.test("etcd shows members, leader, alarms, size, and who does not answer", () => {
  const status = {
    leader: "0000000000000001",
    size: 20_000_000,
    used: 5_000_000,
    raftIndex: 100,
    raftTerm: 2,
    errors: [],
  };
  const member = (id: string, more: object) => ({
    id: id.padStart(16, "0"),
    hostname: `cp-${id}`,
    address: `10.0.0.${id}`,
    isLearner: false,
    ...more,
  });
  const value = {
    node,
    members: [
      member("1", { status }),
      member("2", { status: { ...status, raftIndex: 90 } }),
      member("3", { problem: "connection refused" }),
    ],
    alarms: [{ name: "NOSPACE", member: "0000000000000002" }],
  };
  const context = pageContext(makeData([[node, etcd, { value }]]), {
    columns: 100,
  });
  assert.deepEqual(renderPage(page("etcd"), context), [
    "Leader cp-1  Answering 2 of 3  Quorum 2  Seen from cp-2",
    "Alarms NOSPACE on cp-2",
    "HOSTNAME  STATE     DB SIZE  IN USE  BEHIND  TERM  ADDRESS   MEMBER            NOTE",
    "cp-1      leader    20 MB    25.0%   0       2     10.0.0.1  0000000000000001",
    "cp-2      follower  20 MB    25.0%   10      2     10.0.0.2  0000000000000002",
    "cp-3      down      -        -       -       -     10.0.0.3  0000000000000003  connection refused",
  ]);
});

Deno.test("Runs lists what runbooks are doing, and shows one from inside", () => {
  const runs = runFeeds("/nowhere");
  const value = [{
    id: "20260301-ab12",
    runbook: "rolling-upgrade",
    cluster: "lab",
    clusterId: "lab-id",
    state: "interrupted",
    at: "2026-03-01T11:55:00Z",
    operator: "eve",
    isRunning: false,
    next: "osctl runbook resume 20260301-ab12",
  }];
  const run = {
    run: "20260301-ab12",
    runbook: "rolling-upgrade",
    title: "Upgrade all nodes",
    cluster: "lab",
    state: "running",
    startedAt: noon - 60_000,
    reason: "",
    stages: [],
    fanOuts: [],
    nodes: [],
    asked: [],
  };
  const data = makeData([
    ["", runs.list, { value }],
    ["", runs.detail("20260301-ab12"), {
      value: { run, lines: ["11:59:00 preflight started", "11:59:02 done"] },
    }],
  ]);
  const context = pageContext(data, { columns: 120, runs });
  assert.deepEqual(renderPage(page("Runs"), context), [
    "RUN            STATE        RUNBOOK          CLUSTER  STARTED        BY   NEXT",
    "20260301-ab12  interrupted  rolling-upgrade  lab      5 minutes ago  eve  r resumes it",
  ]);
  assert.equal(page("Runs").opens!(context), true);
  const inside = { ...context, path: ["20260301-ab12"] };
  const lines = renderPage(page("Runs"), inside);
  assert.equal(
    lines[0],
    "rolling-upgrade on lab  running 1m0s, since 11:59 UTC  run 20260301-ab12",
  );
  assert.deepEqual(lines.slice(-3), [
    "Events, the latest first",
    "11:59:02 done",
    "11:59:00 preflight started",
  ]);
  const none = makeData([["", runs.list, { value: [] }]]);
  assert.deepEqual(renderPage(page("Runs"), pageContext(none, { runs })), [
    "No runbook has run on this machine",
  ]);
});

Deno.test("Resources leads from types to one resource as YAML, and hides secrets", () => {
  const type = {
    id: "things.runtime",
    type: "Things.runtime.example",
    displayType: "Thing",
    defaultNamespace: "runtime",
    allAliases: ["thing", "things"],
    sensitive: false,
    printColumns: [],
  };
  const things = resources("runtime", "Things.runtime.example");
  const data = makeData([
    [node, types, {
      value: [type, { ...type, displayType: "Key", sensitive: true }],
    }],
    [node, things, {
      value: makeMap({ b: "size: 2\n", a: "size: 1\nname: x\n" }),
    }],
  ]);
  const context = pageContext(data);
  assert.deepEqual(renderPage(page("Resources"), context), [
    "TYPE   NAMESPACE  FULL TYPE               ALIASES",
    "Thing  runtime    Things.runtime.example  thing things",
    "Key    runtime    Things.runtime.example  thing things",
  ]);
  const [plain, secret] = page("Resources").draw(context).rows.map(({ id }) =>
    id
  );
  const at = (...path: readonly string[]) => ({
    ...context,
    path,
  });
  const list = renderPage(page("Resources"), at(plain!));
  assert.match(
    list[0]!,
    /^Things\.runtime\.example\.\S+ {2}2$|^Things\.runtime\.example {2}2$/,
  );
  assert.deepEqual(list.slice(1).map((line) => line.split(/ +/).slice(0, 2)), [
    ["ID", "VERSION"],
    ["a", "3"],
    ["b", "3"],
  ]);
  const columns = [
    { name: "Size", jsonPath: "{.size}" },
    { name: "Names", jsonPath: "{.names}" },
    { name: "Broken", jsonPath: "{.names" },
  ];
  const printed = (sensitive: boolean) =>
    renderPage(page("Resources"), {
      ...at(`runtime Things.runtime.example ${sensitive ? "secret" : ""}`),
      data: makeData([
        [node, types, { value: [{ ...type, printColumns: columns }] }],
        [node, things, {
          value: makeMap({ b: "size: 2\nnames: [x, 1]\n", a: "size: 1\n" }),
        }],
      ]),
    });
  assert.deepEqual(printed(false).slice(1), [
    "ID  VERSION  SIZE  NAMES  BROKEN",
    "a   3        1",
    "b   3        2     x,1",
  ]);
  // What repeats the id goes first.
  const named = {
    ...pageContext(makeData([
      [node, types, {
        value: [{
          ...type,
          printColumns: ["name", "role"].map((name) => ({
            name,
            jsonPath: `{.${name}}`,
          })),
        }],
      }],
      [node, things, {
        value: makeMap({ "cp-1": "name: cp-1\nrole: control\n" }),
      }],
    ])),
    path: ["runtime Things.runtime.example "],
    size: { columns: 17, rows: 24 },
  };
  assert.deepEqual(renderPage(page("Resources"), named).slice(1), [
    "ID    ROLE",
    "cp-1  control",
  ]);
  assert.match(printed(true)[1]!, /^ID +VERSION +PHASE +UPDATED/);
  const yaml = renderPage(page("Resources"), at(plain!, "a"));
  assert.deepEqual(yaml.slice(-3), ["spec:", "    size: 1", "    name: x"]);
  const hidden = renderPage(page("Resources"), at(secret!, "a")).join("\n");
  assert.match(hidden, /^spec: \*{6}$/m);
  assert.doesNotMatch(hidden, /size/);
  assert.equal(page("Resources").opens!(at(plain!, "a")), false);
});
