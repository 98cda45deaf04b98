import assert from "node:assert/strict";
import { lineText } from "../../../terminal/screen_line.ts";
import {
  etcd,
  health,
  runFeeds,
  services,
  types,
  vitals,
} from "../../../workflows/dashboard/feeds/all.ts";
import { draw } from "../../../workflows/dashboard/frame.ts";
import { press } from "../../../workflows/dashboard/press.ts";
import {
  type DashboardContext,
  type DashboardState,
  firstState,
  listNeeds,
} from "../../../workflows/dashboard/state.ts";
import { dashboardContext, makeData } from "./_data.ts";

const nodes = ["10.0.0.2", "10.0.0.3", "10.0.0.4"];

const load = [0.5, 0.9, 0.1];

const data = makeData([
  ...nodes.map((node, i) =>
    [node, health, {
      value: {
        stage: "running",
        ready: true,
        unmet: [],
        version: "v1.12.11",
        hostname: ["cp-1", "worker-1", "worker-2"][i],
        role: i === 0 ? "controlplane" : "worker",
      },
    }] as const
  ),
  ...nodes.map((node, i) =>
    [node, vitals, {
      value: {
        processors: load[i],
        memory: 0.25,
        load: load[i],
        series: { processors: [0.2, load[i]], memory: [0.25, 0.25] },
        times: {},
      },
    }] as const
  ),
  ["10.0.0.3", services, {
    value: [
      { id: "apid", state: "Running", isHealthy: true },
      { id: "kubelet", state: "Running", isHealthy: false },
    ],
  }],
  ["10.0.0.3", types, {
    value: [{
      id: "members.cluster.talos.dev",
      type: "Members.cluster.talos.dev",
      displayType: "Member",
      defaultNamespace: "cluster",
      allAliases: ["member", "members", "members.cluster"],
      sensitive: false,
      printColumns: [],
    }],
  }],
]);

const context: DashboardContext = dashboardContext(data, [80, 9]);

/** State after keys, separated by spaces; `text:` types letters one by one, with `_` for a space. */
function after(
  keys: string,
  from: DashboardState = firstState(nodes),
  at: DashboardContext = context,
): DashboardState {
  let state = from;
  for (const word of keys.split(" ")) {
    const typed = word.startsWith("text:")
      ? [...word.slice(5).replaceAll("_", " ")]
      : [word === "space" ? " " : word];
    for (const key of typed) {
      const next = press(state, key, at);
      if (next === undefined) throw new Error(`${key} ends the dashboard`);
      state = next;
    }
  }
  return state;
}

function screen(state: DashboardState, at: DashboardContext = context) {
  return draw(state, at).map((line) => lineText(line).trimEnd());
}

const names =
  "Summary Monitor Logs Nodes etcd Runs Resources Network Services Containers";

Deno.test("a list is filtered while the text is typed, until Esc", () => {
  const filtered = after("/ text:WORKER");
  assert.deepEqual(screen(filtered), [
    "3 nodes: 3 ready",
    "/worker  2 of 3",
    "NODE      HOSTNAME  STAGE    VERSION   CPU          MEM          LOAD  ROLE",
    "10.0.0.3  worker-1  running  v1.12.11       ▂█ 90%       ▂▂ 25%  0.90  worker",
    "10.0.0.4  worker-2  running  v1.12.11       ▇▄ 10%       ▂▂ 25%  0.10  worker",
    "",
    "",
    "/WORKER_",
    names,
  ]);
  const kept = after("enter", filtered);
  assert.equal(screen(kept)[1], "/worker  2 of 3");
  // What is opened from it comes back to it.
  const back = after("j enter esc", kept);
  assert.deepEqual([back.page.name, back.node], ["Nodes", 2]);
  assert.equal(screen(back)[1], "/worker  2 of 3");
  assert.equal(screen(after("esc", back))[2], screen(firstState(nodes))[2]);
  assert.deepEqual(screen(after("esc", filtered)), screen(firstState(nodes)));
  assert.deepEqual(
    screen(after("/ text:!worker enter")).slice(1, 5).map((line) =>
      line.slice(0, 17)
    ),
    ["/!worker  1 of 3", "NODE      HOSTNAM", "10.0.0.2  cp-1   ", ""],
  );
});

Deno.test("a list is sorted by any column, and back in the order of its page", () => {
  const order = (keys: string) =>
    screen(after(keys)).slice(1, 5).map((line) => line.split(" ")[0]);
  const cpu = "> > > > >";
  assert.deepEqual(order(cpu), ["NODE", "10.0.0.3", "10.0.0.2", "10.0.0.4"]);
  assert.match(screen(after(cpu))[1]!, / CPU↓ /);
  assert.deepEqual(order(`${cpu} -`), [
    "NODE",
    "10.0.0.4",
    "10.0.0.2",
    "10.0.0.3",
  ]);
  assert.match(screen(after(`${cpu} -`))[1]!, / CPU↑ /);
  assert.deepEqual(order(": text:sort_-load enter"), order(cpu));
  assert.deepEqual(order(": text:sort_load enter"), order(`${cpu} -`));
  // What sorts is shown, also where there was no room for it.
  assert.match(screen(after(": text:sort_-load enter"))[1]!, / LOAD↓/);
  assert.deepEqual(order(`${cpu} ${cpu.replaceAll(">", "<")}`), [
    "NODE",
    ...nodes,
  ]);
  assert.deepEqual(order(": text:sort_-hostname enter"), [
    "NODE",
    "10.0.0.4",
    "10.0.0.3",
    "10.0.0.2",
  ]);
  assert.equal(
    screen(after(": text:sort_lod enter")).at(-2),
    'No column "lod"; did you mean "load"?',
  );
  // Metrics that sort are needed of all nodes, also of those below the edge.
  const low = dashboardContext(data, [80, 4]);
  const measured = (state: DashboardState) =>
    listNeeds(state, low).filter(({ feed }) => feed === vitals).length;
  assert.deepEqual([measured(firstState(nodes)), measured(after(cpu))], [1, 3]);
});

Deno.test("after a colon, a page, a resource type or a command is typed, and Tab completes it", () => {
  assert.equal(after("j : text:services enter").page.name, "Services");
  assert.equal(after("j : text:services enter").node, 1);
  assert.equal(after(": text:NET tab enter").page.name, "Network");
  assert.equal(
    screen(after(": text:re")).at(-2),
    ":re_  resources  reboot",
  );
  assert.equal(screen(after(": text:reb tab")).at(-2)?.slice(0, 8), ":reboot_");
  const members = after("j : text:Members enter");
  assert.equal(screen(members)[1], "Members.cluster.talos.dev  0");
  assert.deepEqual(
    listNeeds(members, context).slice(2).map(({ feed }) => feed.name),
    ["types", "resources cluster/Members.cluster.talos.dev/"],
  );
  // Resource types are completed by those of the node, which are requested while the user types.
  const onPage = after("j 1 : text:memb");
  assert.equal(screen(onPage).at(-2), ":memb_  member  members");
  assert.equal(after("tab", onPage).prompt?.text, "member");
  const needed = (state: DashboardState) =>
    listNeeds(state, context).some(({ node, feed }) =>
      node === "10.0.0.3" && feed === types
    );
  assert.deepEqual([needed(after("j 1")), needed(onPage)], [false, true]);
  assert.equal(
    screen(after("j : text:memberz enter"))[1],
    'No page, command or resource type "memberz"; did you mean "member"?',
  );
  assert.equal(
    screen(after(": text:mak_it_so enter")).at(-2),
    'No command "mak it so"',
  );
  assert.equal(press(after(": text:q"), "enter", context), undefined);
  assert.equal(after(": backspace").prompt, undefined);
  assert.equal(after(": text:abc ctrl-u").prompt?.text, "");
  assert.equal(after(": text:node_drain_ ctrl-w").prompt?.text, "node ");
});

Deno.test("a key of an action types its command for the selected node, and Enter runs it", () => {
  const typed = after("j R");
  assert.equal(
    screen(typed).at(-2),
    ":reboot_  Enter runs it on worker-1 (10.0.0.3)",
  );
  assert.equal(typed.command, undefined);
  assert.deepEqual(after("enter", typed).command, [
    "reboot",
    "--nodes",
    "10.0.0.3",
  ]);
  assert.equal(after("esc", typed).prompt, undefined);
  // Flags can be added, quoted as in a shell.
  assert.deepEqual(after("j U text:v1.12.12_--drain='x_y' enter").command, [
    "upgrade",
    "--to",
    "v1.12.12",
    "--drain=x y",
    "--nodes",
    "10.0.0.3",
  ]);
  // The prompt says on which nodes, by their names.
  assert.equal(
    screen(after("space space D")).at(-2),
    ":node drain_  Enter runs it on 2 nodes: cp-1, worker-1",
  );
  assert.equal(
    screen(after(": text:reboot_-n_a,b")).at(-2),
    ":reboot -n a,b_  Enter runs it",
  );
  // Nodes that are named stay.
  assert.deepEqual(after(": text:reboot_-n_a,b enter").command, [
    "reboot",
    "-n",
    "a,b",
  ]);
  // On a page of a node, it is that node; of services, the selected one as well.
  assert.deepEqual(after("j 1 D enter").command, [
    "node",
    "drain",
    "--nodes",
    "10.0.0.3",
  ]);
  assert.deepEqual(after("j 9 j r enter").command, [
    "service",
    "kubelet",
    "restart",
    "--nodes",
    "10.0.0.3",
  ]);
  assert.deepEqual(
    after("j 9 j enter r enter").command,
    after("j 9 j r enter").command,
  );
  assert.equal(screen(after("6 s")).at(-2), "There is no run to stop");
});

Deno.test("on the etcd page, a command acts on the node of the selected or opened member", () => {
  const member = (at: number, address: string) => ({
    id: `000000000000000${at}`,
    hostname: address && `cp-${at}`,
    address,
    isLearner: false,
    problem: "connection refused",
  });
  const members = [member(1, "10.0.0.2"), member(2, "10.0.0.9"), member(3, "")];
  const view = { node: "10.0.0.2", members, alarms: [] };
  const at = dashboardContext(
    makeData([["10.0.0.2", etcd, { value: view }]]),
    [80, 12],
  );
  const from = firstState(nodes);
  const prompt = (keys: string) => screen(after(keys, from, at), at).at(-2);
  assert.equal(prompt("5 R"), ":reboot_  Enter runs it on cp-1 (10.0.0.2)");
  assert.equal(prompt("5 j R"), ":reboot_  Enter runs it on cp-2 (10.0.0.9)");
  const typed = (keys: string) => after(keys, from, at).command;
  assert.deepEqual(
    typed("5 j enter : text:node_drain enter")?.at(-1),
    "10.0.0.9",
  );
  assert.deepEqual(typed("5 j : text:reboot enter")?.at(-1), "10.0.0.9");
  assert.equal(
    prompt("5 j j R"),
    ":reboot_  The node of this row is not known",
  );
  assert.equal(typed("5 j j R enter"), undefined);
  assert.equal(prompt("5 j j R enter"), "The node of this row is not known");
  assert.deepEqual(typed("5 j j R text:_-n_a enter"), ["reboot", "-n", "a"]);
  // Another page is that of the node in the header.
  assert.equal(after("5 j 1", from, at).node, 0);
});

Deno.test("keys on the page of runs resume, approve and stop the selected run, and run a runbook", () => {
  const run = {
    id: "20260301-ab12",
    runbook: "restart",
    cluster: "lab",
    clusterId: "lab-id",
    state: "waiting-approval",
    at: "2026-03-01T11:59:00Z",
    operator: "ops@laptop",
    isRunning: true,
  };
  const over = { ...run, state: "succeeded", isRunning: false };
  const reading = {
    value: [{ ...run, id: "20260301-aaaa" }, run, {
      ...over,
      id: "20260301-zzzz",
    }],
  };
  const at = dashboardContext(
    makeData([["", runFeeds("/nowhere").list, reading]]),
    [80, 9],
  );
  const typed = (keys: string) => after(keys, firstState(nodes), at).command;
  const stop = ["runbook", "stop", "20260301-ab12"];
  assert.deepEqual(typed("6 j s enter"), stop);
  assert.deepEqual(typed("6 j enter s enter"), stop);
  assert.deepEqual(typed("6 j s text:_--now enter"), [...stop, "--now"]);
  const line = (keys: string) =>
    screen(after(keys, firstState(nodes), at), at).at(-2)?.split("  ")[0];
  assert.equal(line("6 r"), ":runbook resume 20260301-aaaa_");
  assert.equal(line("6 j a"), ":runbook approve 20260301-ab12_");
  assert.equal(line("6 x"), ":runbook run _");
  for (const key of ["r", "a", "s"]) {
    assert.equal(
      line(`6 j j ${key}`),
      "Run 20260301-zzzz has finished: succeeded",
    );
  }
  // Nodes are not on this page.
  assert.equal(after("6 D", firstState(nodes), at).prompt, undefined);
  assert.equal(
    screen(after("6", firstState(nodes), at), at).at(-2),
    "? keys  : command  / filter  r resume  a approve  s stop  x run a runbook",
  );
});

Deno.test("a row that is named like a flag has no actions", () => {
  const value = [{ id: "--nodes", state: "Running", isHealthy: true }];
  const at = dashboardContext(makeData([["10.0.0.2", services, { value }]]));
  assert.equal(
    screen(after("9 r", firstState(nodes), at), at).at(-2),
    "There is no service to restart",
  );
});

Deno.test("commands act on all marked nodes, until Esc removes the marks", () => {
  const marked = after("space space");
  assert.deepEqual(
    screen(marked).slice(0, 5).map((line) => line.slice(0, 28)),
    [
      "3 nodes: 3 ready  2 marked",
      "NODE        HOSTNAME  STAGE ",
      "10.0.0.2 *  cp-1      runnin",
      "10.0.0.3 *  worker-1  runnin",
      "10.0.0.4    worker-2  runnin",
    ],
  );
  assert.deepEqual(after("D enter", marked).command, [
    "node",
    "drain",
    "--nodes",
    "10.0.0.2,10.0.0.3",
  ]);
  // On the page of a node, it is that node.
  assert.deepEqual(after("enter D enter", marked).command?.at(-1), "10.0.0.4");
  assert.deepEqual(after("k space", marked).marked, ["10.0.0.2"]);
  assert.deepEqual(after("esc", marked).marked, []);
  assert.equal(screen(after("9 space")).at(-2), "Only nodes can be marked");
});

Deno.test("a dashboard that is read-only runs no command, and says why", () => {
  const reading = {
    ...context,
    readOnly: "the client certificate has the role os:reader",
  };
  const message =
    "The dashboard is read-only: the client certificate has the role os:reader";
  for (const keys of ["R", "D", ": text:reboot enter", "9 r", "6 s", "x"]) {
    const state = after(keys, firstState(nodes), reading);
    assert.deepEqual([state.command, state.prompt], [undefined, undefined]);
    assert.equal(screen(state, reading).at(-2), message, keys);
  }
  assert.equal(
    screen(firstState(nodes), reading).at(-2),
    "? keys  : command  / filter  read-only  <> sort",
  );
  assert.equal(
    screen(after(": text:re", firstState(nodes), reading), reading).at(-2),
    ":re_  resources",
  );
  const help = screen(after("?", firstState(nodes), reading), reading);
  assert.equal(
    help[2],
    "No actions: the dashboard is read-only: the client certificate has the role os:reader",
  );
});
