import assert from "node:assert/strict";
import { lineText, paintedLine } from "../../../terminal/screen_line.ts";
import {
  health,
  logTail,
  metrics,
  resources,
  services,
  types,
} from "../../../workflows/dashboard/feeds/all.ts";
import { draw } from "../../../workflows/dashboard/frame.ts";
import { keyMap } from "../../../workflows/dashboard/key_map.ts";
import { pages } from "../../../workflows/dashboard/pages/all.ts";
import { press } from "../../../workflows/dashboard/press.ts";
import {
  type DashboardContext,
  type DashboardState,
  firstState,
  listNeeds,
} from "../../../workflows/dashboard/state.ts";
import { dashboardContext, makeData, makeMap } from "./_data.ts";

const nodes = ["10.0.0.2", "10.0.0.3", "10.0.0.4"];

const lines = Array.from({ length: 200 }, (_, i) => `line ${i}`);

const data = makeData([
  ...nodes.map((node) =>
    [node, health, {
      value: {
        stage: "running",
        ready: true,
        unmet: [],
        version: "v1.12.11",
        hostname: `host-${node.at(-1)}`,
        role: "worker",
      },
    }] as const
  ),
  ["10.0.0.2", services, {
    value: [{ id: "apid", state: "Running", isHealthy: true }],
  }],
  ["10.0.0.2", logTail("kernel"), { value: { lines, dropped: 0 } }],
  ["10.0.0.2", logTail("apid"), {
    value: { lines: ["only"], dropped: 0 },
  }],
  ["10.0.0.2", types, {
    value: ["Alpha", "Beta"].map((displayType) => ({
      id: displayType.toLowerCase(),
      type: `${displayType}s.example.talos.dev`,
      displayType,
      defaultNamespace: "runtime",
      allAliases: [],
      sensitive: false,
      printColumns: [],
    })),
  }],
  ["10.0.0.2", resources("runtime", "Betas.example.talos.dev"), {
    value: makeMap({ b1: "size: 1\n", b2: "size: 2\n" }),
  }],
]);

const context: DashboardContext = dashboardContext(data);

/** State after keys, separated by spaces. */
function after(
  keys: string,
  from: DashboardState = firstState(nodes),
  at: DashboardContext = context,
): DashboardState {
  let state = from;
  for (const key of keys.split(" ")) {
    const next = press(state, key, at);
    if (next === undefined) throw new Error(`${key} ends the dashboard`);
    state = next;
  }
  return state;
}

function screen(state: DashboardState, at: DashboardContext = context) {
  return draw(state, at).map((line) => lineText(line).trimEnd());
}

Deno.test("every key of the specification does what it says", () => {
  const at = (keys: string) => after(keys);
  assert.equal(at("1 right").node, 1);
  assert.equal(at("1 right right left").node, 1);
  // It stops at the ends.
  assert.equal(at("1 left").node, 0);
  assert.equal(at("1 right right right right").node, 2);
  const top = (keys: string) => screen(at(`3 ${keys}`))[2];
  // The screen keeps its rows.
  assert.equal(top("f"), "line 180");
  assert.equal(top("g j"), "line 1");
  assert.equal(top("g down down k"), "line 1");
  assert.equal(top("g ctrl-d"), "line 10");
  assert.equal(top("g ctrl-d ctrl-u"), "line 0");
  assert.equal(top("g ctrl-f"), "line 20");
  assert.equal(top("g page-down page-down ctrl-b"), "line 20");
  assert.equal(top("G"), "line 180");
  assert.equal(top("wheel-up"), "line 177");
  assert.equal(top("wheel-up wheel-up wheel-down"), "line 177");
  assert.equal(press(firstState(nodes), "q", context), undefined);
});

Deno.test("every key that is declared does something, and the list of keys names it", () => {
  const tall = dashboardContext(data, [100, 60]);
  // A list of nodes and a log have all keys between them.
  const help = ["?", "3 ?"].flatMap((keys) => screen(after(keys), tall))
    .join("\n");
  for (const { keys, shown, text } of keyMap) {
    assert.ok(help.includes(`${shown.padEnd(14)}${text}`), shown);
    assert.ok(keys.length > 0);
  }
  for (const { name, text, keys } of pages) {
    assert.ok(help.includes(`${name}: ${text}`), name);
    for (const key of keys) assert.equal(after(key).page.name, name);
  }
  const all = [...keyMap, ...pages].flatMap(({ keys }) => keys);
  assert.equal(new Set(all).size, all.length, "a key is declared twice");
  // It scrolls where it does not fit, and any other key closes it.
  assert.notEqual(screen(after("? j"))[2], screen(after("?"))[2]);
  // At 80x24 the first screen has how to leave, and says that it goes on.
  const first = screen(after("?"));
  assert.ok(first.includes("q, Ctrl-c     quit"));
  assert.ok(first.includes("Other keys"));
  assert.match(first.at(-2)!, /^\? keys {2}↓ 29 more {2}: command/);
  assert.match(screen(after("? j")).at(-2)!, /^\? keys {2}↓ 28 more /);
  assert.match(screen(after("? G")).at(-2)!, /^\? keys {2}: command/);
  assert.equal(after("? j esc").showsHelp, false);
  assert.equal(after("? ?").showsHelp, false);
});

Deno.test("the header begins with the context, on every page", () => {
  const at = { ...context, context: "lab" };
  assert.equal(screen(firstState(nodes), at)[0], "lab 3 nodes: 3 ready");
  assert.equal(screen(after("1"), at)[0], "lab host-2 1/3 (v1.12.11)");
  assert.equal(screen(after("6"), at)[0], "lab Runs on this machine");
  assert.equal(
    screen(firstState(nodes), { ...at, readOnly: "it was started so" })[0],
    "lab read-only 3 nodes: 3 ready",
  );
  // A list that is longer than the screen says where the selected row is.
  const low = dashboardContext(data, [80, 8]);
  const many = [...nodes, "10.0.0.5", "10.0.0.6"];
  assert.match(
    screen(after("j", firstState(many), low), low).at(-2)!,
    /^\? keys {2}↕ 2 of 5 {2}: command /,
  );
  const late = dashboardContext(makeData([
    ["10.0.0.2", health, {
      value: { hostname: "cp-1", unmet: [] },
      lateMs: 7_100,
    }],
  ]));
  assert.equal(
    screen(after("1", firstState(nodes), late), late)[0],
    "cp-1 1/3 (n/a): no answer for 7s",
  );
});

Deno.test("the page of the cluster comes first where there are several nodes, and leads to one", () => {
  assert.equal(firstState(["a"]).page.name, "Summary");
  const first = firstState(nodes);
  assert.equal(first.page.name, "Nodes");
  assert.deepEqual(
    new Set(listNeeds(first, context).map(({ feed }) => feed.name)),
    new Set([
      "resources k8s/NodeStatuses.kubernetes.talos.dev/",
      "health",
      "vitals",
    ]),
  );
  const opened = after("j enter");
  assert.deepEqual([opened.page.name, opened.node], ["Summary", 1]);
  assert.equal(after("esc", opened).page.name, "Nodes");
  assert.deepEqual(
    listNeeds(after("2", opened), context).map((
      { node, feed },
    ) => [node, feed.name]),
    [
      ["10.0.0.3", health.name],
      ["10.0.0.3", metrics.name],
      ["10.0.0.3", metrics.name],
    ],
  );
});

Deno.test("Enter goes into resources, and Esc out to where it was", () => {
  const list = after("7 j enter");
  assert.match(screen(list)[1]!, /^Betas\.example/);
  const one = after("j enter", list);
  assert.match(screen(one)[1]!, /b2$/);
  assert.ok(screen(one).includes("    size: 2"));
  assert.deepEqual(screen(after("enter", one)), screen(one));
  const out = after("esc", one);
  assert.equal(
    out.places["Resources\nruntime Betas.example.talos.dev "]?.id,
    "b2",
  );
  assert.match(screen(after("esc", out))[1]!, /^TYPE/);
});

Deno.test("a search goes from match to match, around the end, and says when there is none", () => {
  const typing = after("3 g / 1 x backspace up 5");
  assert.equal(screen(typing).at(-2), "/15_");
  const first = after("enter", typing);
  const top = (state: DashboardState) => screen(state).slice(2, 23);
  assert.ok(top(first).includes("line 15"));
  const second = after("n", first);
  assert.ok(top(second).includes("line 115"));
  assert.ok(top(after("n", second)).includes("line 150"));
  assert.ok(top(after("N", second)).includes("line 15"));
  assert.ok(top(after("N N", second)).includes("line 159"));
  assert.equal(after("esc", second).search, "");
  assert.equal(
    screen(after("/ x y z enter", second)).at(-2),
    'No match for "xyz"',
  );
  assert.equal(after("/ esc", first).prompt, undefined);
});

Deno.test("a log is followed until it is scrolled, and each log has its own place", () => {
  const bottom = (state: DashboardState) => screen(state).at(-3);
  assert.equal(bottom(after("3")), "line 199");
  const held = after("3 k");
  assert.equal(bottom(held), "line 198");
  assert.equal(bottom(after("f", held)), "line 199");
  assert.equal(bottom(after("j", held)), "line 199");
  const other = after("]", held);
  assert.deepEqual([other.log, screen(other)[2]], ["apid", "only"]);
  assert.equal(bottom(after("[", other)), "line 199");
  assert.equal(after("[ [", other).log, "kernel");
});

Deno.test("w continues long lines on the next rows, and t hides time stamps; the first line stays at the top", () => {
  const log = [
    "kern: info: [2026-03-01T11:00:00.123456Z]: first",
    `kern: info: [2026-03-01T11:00:01Z]: second ${"x".repeat(50)} needle`,
    "third",
    ...lines,
  ];
  const at = dashboardContext(
    makeData([
      ["10.0.0.2", logTail("kernel"), { value: { lines: log, dropped: 0 } }],
    ]),
    [60, 9],
  );
  const begin = after("3 g", firstState(nodes), at);
  const rows = (state: DashboardState) => screen(state, at).slice(2, 6);
  assert.equal(rows(begin)[1], log[1]);
  const wrapped = after("w", begin, at);
  assert.deepEqual(rows(wrapped), [
    log[0],
    log[1]!.slice(0, 60),
    log[1]!.slice(60),
    "third",
  ]);
  assert.deepEqual(rows(after("t", wrapped, at)), [
    "first",
    `second ${"x".repeat(50)} ne`,
    "edle",
    "third",
  ]);
  assert.deepEqual(rows(after("t t w", wrapped, at)), rows(begin));
  // A match may begin on one row and end on the next.
  const found = after("t g / n e e d l e enter", wrapped, at);
  assert.equal(
    screen(found, at).at(-2),
    "/needle  n next, N previous, Esc ends",
  );
  // What is read stays there.
  const third = after("j j j", wrapped, at);
  assert.equal(rows(third)[0], "third");
  assert.equal(rows(after("w", third, at))[0], "third");
  assert.equal(after("w", firstState(nodes), at).wraps, false);
});

Deno.test("all pages are drawn at any size, of any number of nodes and colors", () => {
  const many = Array.from(
    { length: 500 },
    (_, i) => `10.0.${i >> 8}.${i & 255}`,
  );
  // Styles other than colors: reset, bold, faint, reverse.
  const plain = /^(?:[0127];?)+$/;
  // Those of the terminal's theme, in the foreground or behind it.
  const themed = /^(?:(?:[0127]|[349][0-7]|10[0-7]);?)+$/;
  for (const addresses of [nodes.slice(0, 1), nodes, many]) {
    for (const rows of [1, 2, 3, 5, 15, 24, 60]) {
      for (const columns of [1, 10, 40, 80, 200]) {
        const small = dashboardContext(data, [columns, rows]);
        for (const page of pages) {
          const name = `${page.name} of ${addresses.length} nodes`;
          const at = `${name} at ${columns}x${rows}`;
          const lines = draw({ ...firstState(addresses), page }, small);
          assert.equal(lines.length, rows, at);
          if (addresses !== nodes) continue;
          for (
            const [depth, codes] of [["none", plain], [16, themed]] as const
          ) {
            const mask = (text: string) => text;
            const painted = lines.map((line) =>
              paintedLine(line, { columns, depth, mask })
            ).join("\n");
            // deno-lint-ignore no-control-regex
            const sgr = /\x1b\[([\d;]*)m/g;
            for (const [, code = ""] of painted.matchAll(sgr)) {
              assert.match(code, codes, at);
            }
            for (const text of painted.replaceAll(sgr, "").split("\n")) {
              assert.ok([...text].length <= columns, at);
            }
          }
        }
      }
    }
  }
});

Deno.test("the header says what a node is, or that it is down", () => {
  const down = dashboardContext(makeData([
    ["10.0.0.2", health, { problem: "connection refused", isAway: true }],
  ]));
  assert.equal(
    screen(after("1", firstState(nodes), down), down)[0],
    "10.0.0.2 1/3 down: connection refused",
  );
  assert.match(
    screen(after("4", firstState(nodes), down), down).at(-2)!,
    /^\? keys {2}10\.0\.0\.2: connection refused {2}: command /,
  );
  assert.equal(screen(after("1"))[0], "host-2 1/3 (v1.12.11)");
  assert.equal(screen(after("4"))[0], "3 nodes: 3 ready");
  const footer = screen(after("1"), dashboardContext(data, [140, 24])).at(-1);
  assert.equal(
    footer,
    "F1 Summary  F2 Monitor  F3 Logs  F4 Nodes  F5 etcd  F6 Runs  F7 Resources  F8 Network  F9 Services  F10 Containers",
  );
  // The names of all pages stay where there is no room for their keys.
  assert.equal(
    screen(after("1")).at(-1),
    "Summary Monitor Logs Nodes etcd Runs Resources Network Services Containers",
  );
});

Deno.test("a log stays where it is while old lines are dropped, and errors stand out", () => {
  const log = (lines: readonly string[], dropped: number) =>
    dashboardContext(makeData([
      ["10.0.0.2", logTail("kernel"), { value: { lines, dropped } }],
    ]));
  const held = after("3 g ctrl-d ctrl-d", firstState(nodes), log(lines, 0));
  assert.equal(screen(held, log(lines, 0))[2], "line 20");
  assert.equal(screen(held, log(lines.slice(15), 15))[2], "line 20");
  assert.equal(
    screen(held, log(lines, 0))[1],
    "kernel  f follows",
  );
  const bad = log(["level=error two"], 0);
  assert.deepEqual(draw(after("3"), bad)[2], [
    { text: "level=error two", style: "bad" },
  ]);
});
