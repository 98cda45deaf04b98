import assert from "node:assert/strict";
import { lineText } from "../../../terminal/screen_line.ts";
import {
  health,
  logTail,
  resources,
  services,
  types,
} from "../../../workflows/dashboard/feeds/all.ts";
import { draw } from "../../../workflows/dashboard/frame.ts";
import { press } from "../../../workflows/dashboard/press.ts";
import {
  type DashboardState,
  firstState,
  listNeeds,
} from "../../../workflows/dashboard/state.ts";
import { dashboardContext, makeData, makeMap } from "./_data.ts";

const nodes = ["10.0.0.2", "10.0.0.3"];

const context = dashboardContext(makeData([
  ...nodes.map((node, i) =>
    [node, health, {
      value: {
        stage: "running",
        ready: true,
        unmet: [],
        version: `v1.12.${9 + i}`,
        hostname: `host-${node.at(-1)}`,
        role: "worker",
      },
    }] as const
  ),
  ["10.0.0.3", services, {
    value: [
      { id: "apid", state: "Running", isHealthy: true },
      { id: "kubelet", state: "Waiting", isHealthy: true },
    ],
  }],
  ["10.0.0.3", logTail("kubelet"), {
    value: { lines: ["of kubelet"], dropped: 0 },
  }],
  ["10.0.0.3", types, { value: [] }],
  ["10.0.0.3", resources("runtime", "Services.v1alpha1"), {
    value: makeMap({ kubelet: "running: true\n" }),
  }],
  ["10.0.0.3", resources("runtime", "MachineStatuses.runtime"), {
    value: makeMap({ machine: "stage: running\n" }),
  }],
]));

/** State after keys, separated by spaces. */
function after(keys: string, from = firstState(nodes)): DashboardState {
  return keys.split(" ").reduce((state, key) => {
    const next = press(state, key, context);
    if (next === undefined) throw new Error(`${key} ends the dashboard`);
    return next;
  }, from);
}

function screen(state: DashboardState): readonly string[] {
  return draw(state, context).map((line) => lineText(line).trimEnd());
}

Deno.test("l shows the log of the selected service, and Esc goes back to it", () => {
  const log = after("j 9 j l");
  assert.deepEqual([log.page.name, log.log], ["Logs", "kubelet"]);
  assert.ok(screen(log).includes("of kubelet"));
  const back = after("esc", log);
  assert.equal(back.page.name, "Services");
  assert.deepEqual(after("r", back).prompt?.text, "service kubelet restart");
  // From a node, it is the log that was read last.
  assert.deepEqual(after("j l").node, 1);
  assert.equal(after("j l").log, "kernel");
  assert.equal(after("j l esc").page.name, "Nodes");
  // What was opened is open again.
  const opened = after("j 9 j enter l esc");
  assert.deepEqual(opened.paths["Services"], ["kubelet"]);
});

Deno.test("y shows a service or a node as YAML, and Esc goes back", () => {
  const service = after("j 9 j y");
  assert.ok(screen(service).includes("    running: true"));
  // Keys of YAML stand out.
  const spec = draw(service, context)
    .find((line) => lineText(line) === "    running: true");
  assert.deepEqual(spec, [
    { text: "    " },
    { text: "running:", style: "title" },
    { text: " true" },
  ]);
  assert.equal(after("esc", service).page.name, "Services");
  const node = after("j y");
  assert.ok(screen(node).includes("    stage: running"));
  const back = after("esc", node);
  assert.equal(back.page.name, "Nodes");
  assert.equal(after("R", back).prompt?.text, "reboot");
  // Resources are as before.
  assert.deepEqual(after("7", back).paths["Resources"], []);
  assert.equal(screen(after("0 y")).at(-2), "There is no YAML of this");
});

Deno.test("Esc goes back through the pages that were typed, to where each was left", () => {
  const typed = (text: string) => `: ${[...text].join(" ")} enter`;
  const there = after(`j 9 j ${typed("etcd")} ${typed("logs")}`);
  assert.equal(there.page.name, "Logs");
  assert.equal(after("esc", there).page.name, "etcd");
  assert.equal(after("esc esc", there).page.name, "Services");
  assert.equal(after("esc esc esc", there).page.name, "Nodes");
  // A page that is chosen by its key begins anew.
  assert.equal(after("8 esc", there).page.name, "Nodes");
});

Deno.test("a capital letter sorts by the column that begins with it, and reverses the order when it is repeated", () => {
  const order = (keys: string) =>
    screen(after(keys)).slice(1, 4).map((line) => line.split(" ")[0]);
  assert.deepEqual(order("H"), ["NODE", "10.0.0.2", "10.0.0.3"]);
  assert.deepEqual(order("H H"), ["NODE", "10.0.0.3", "10.0.0.2"]);
  assert.match(screen(after("V"))[1]!, / VERSION↑ /);
  assert.match(screen(after("C"))[1]!, / CPU↓ /);
  assert.match(screen(after("N N"))[1]!, /^NODE↓ /);
  assert.match(screen(after("9 S S"))[1]!, /^SERVICE↓ /);
  // Actions keep their letters.
  assert.equal(after("R").prompt?.text, "reboot");
});

Deno.test("a filter is a text or a regular expression", () => {
  const listed = (filter: string) =>
    screen(after(`/ ${[...filter].join(" ")} enter`)).slice(3, 5)
      .map((line) => line.split(" ")[0]);
  assert.deepEqual(listed("host-[2x]"), ["10.0.0.2", ""]);
  assert.deepEqual(listed("host-(2|3)$"), ["10.0.0.2", "10.0.0.3"]);
  assert.deepEqual(listed("!host-2|nothing"), ["10.0.0.3", ""]);
  // Of plain text, a dot is a dot; what is not complete yet is plain text.
  assert.deepEqual(listed("1x0.0"), ["No", ""]);
  assert.deepEqual(listed("10.0.0"), ["10.0.0.2", "10.0.0.3"]);
  assert.deepEqual(listed("host-("), ["No", ""]);
});

Deno.test("a key without a meaning says so", () => {
  for (const key of ["s", "ctrl-e", "Z", "]"]) {
    assert.equal(
      screen(after(key)).at(-2),
      `${key} does nothing here; ? lists the keys`,
    );
  }
  // Of a text, w wraps lines; a list has none.
  assert.match(screen(after("w")).at(-2)!, /^w does nothing here/);
  // A click has no name.
  assert.equal(after("j").message, press(after("j"), "", context)?.message);
});

Deno.test("the result of a command has its color until the next key, or its end", () => {
  const failed = {
    ...firstState(nodes),
    message: "osctl reboot: refused (status 5)",
    messageStyle: "bad" as const,
  };
  const style = (state: DashboardState) => {
    const line = draw(state, context).at(-2) ?? "";
    return typeof line === "string" ? undefined : line[0]?.style;
  };
  assert.equal(style(failed), "bad");
  assert.equal(style(after("s", failed)), "changing");
  const until = (ms: number) =>
    screen({ ...failed, messageUntil: context.now + ms }).at(-2);
  assert.equal(until(1), "osctl reboot: refused (status 5)");
  assert.match(until(0) ?? "", /^\? keys /);
  // The next message stays until the next key.
  assert.equal(
    after("s", { ...failed, messageUntil: 1 }).messageUntil,
    undefined,
  );
});

Deno.test("Ctrl-r requests everything again, and changes nothing on the screen", () => {
  const again = after("j ctrl-r");
  assert.equal(again.refreshes, 1);
  assert.equal(screen(again).at(-2), "All data is requested again");
  assert.deepEqual(listNeeds(again, context), listNeeds(after("j"), context));
});
