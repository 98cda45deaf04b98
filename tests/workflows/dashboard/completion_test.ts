import assert from "node:assert/strict";
import { lineText } from "../../../terminal/screen_line.ts";
import {
  health,
  runFeeds,
  types,
} from "../../../workflows/dashboard/feeds/all.ts";
import { draw } from "../../../workflows/dashboard/frame.ts";
import { press } from "../../../workflows/dashboard/press.ts";
import {
  type DashboardState,
  firstState,
} from "../../../workflows/dashboard/state.ts";
import { dashboardContext, makeData } from "./_data.ts";

const nodes = ["10.0.0.2", "10.0.0.3"];

const run = {
  id: "20260301-ab12",
  runbook: "rolling-upgrade",
  cluster: "lab",
  state: "waiting-approval",
  at: "2026-03-01T11:59:00Z",
  operator: "ops@laptop",
  isRunning: true,
};

const plain = dashboardContext(makeData([
  ["10.0.0.2", health, {
    value: {
      stage: "running",
      ready: true,
      unmet: [],
      version: "v1.12.11",
      hostname: "cp-1",
      role: "controlplane",
    },
  }],
  ["10.0.0.2", types, {
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
  ["", runFeeds("/nowhere").list, { value: [run] }],
]));

const context = {
  ...plain,
  context: "lab",
  commands: [
    ...plain.commands,
    ...["runbook approve", "config use"].map((name) => ({
      name,
      aliases: [],
      takesNodes: false,
    })),
    {
      name: "runbook run",
      aliases: [],
      takesNodes: false,
      values: ["builtin:etcd-defrag", "builtin:rolling-upgrade"],
    },
  ],
};

/** State after keys, separated by spaces; `:text` is typed letter by letter, with `_` for a space. */
function after(keys: string, from = firstState(nodes)): DashboardState {
  const all = keys.split(" ").flatMap((word) =>
    word.startsWith(":") ? [...word.replaceAll("_", " ")] : [word]
  );
  return all.reduce((state, key) => {
    const next = press(state, key, context);
    if (next === undefined) throw new Error(`${key} ends the dashboard`);
    return next;
  }, from);
}

/** The line of the prompt or message. */
function line(keys: string): string | undefined {
  return draw(after(keys), context).map((line) => lineText(line).trimEnd())
    .at(-2);
}

Deno.test("pages have singular and short names", () => {
  for (
    const [typed, name] of [
      ["node", "Nodes"],
      ["no", "Nodes"],
      ["svc", "Services"],
      ["service", "Services"],
      ["container", "Containers"],
      ["pod", "Containers"],
      ["pods", "Containers"],
      ["NET", "Network"],
      ["aliases", "Resources"],
    ] as const
  ) assert.equal(after(`1 :${typed} enter`).page.name, name, typed);
  for (const typed of ["q", "q!", "quit", "exit"]) {
    assert.equal(press(after(`:${typed}`), "enter", context), undefined);
  }
});

Deno.test("a word that is nothing leaves the page as it is, and names what is near", () => {
  for (
    const [typed, message] of [
      [
        "memberz",
        'No page, command or resource type "memberz"; did you mean "member"?',
      ],
      [
        "rebot",
        'No page, command or resource type "rebot"; did you mean "reboot"?',
      ],
      [
        "rebot_--wait",
        'No command "rebot --wait"; did you mean "reboot"?',
      ],
      [
        "node_drian_x",
        'No command "node drian x"; did you mean "node drain"?',
      ],
      ["zzzz", 'No page, command or resource type "zzzz"'],
      [
        "config",
        'No page, command or resource type "config"; did you mean "config use"?',
      ],
    ] as const
  ) {
    assert.equal(line(`:${typed} enter`), message);
    assert.equal(after(`:${typed} enter`).page.name, "Nodes", typed);
  }
  assert.equal(
    line(":ctx enter"),
    "Context: lab; another one needs a dashboard with --context NAME",
  );
  // The page of resources finds what is no alias.
  assert.equal(
    after(":members.cluster enter").paths["Resources"]?.[0],
    "members.cluster",
  );
});

Deno.test("the name of an action types its command, which Enter runs", () => {
  assert.equal(line(":dra"), ":dra_  drain");
  assert.equal(
    line(":drain enter"),
    ":node drain_  Enter runs it on 10.0.0.3",
  );
  assert.deepEqual(after(":drain_--timeout_5m enter enter").command, [
    "node",
    "drain",
    "--timeout",
    "5m",
    "--nodes",
    "10.0.0.3",
  ]);
  assert.equal(
    line("6 :approve enter"),
    ":runbook approve 20260301-ab12_  Enter runs it: rolling-upgrade on lab, waiting-approval",
  );
  // Nodes have nothing to approve.
  assert.equal(
    line(":approve enter"),
    'No page, command or resource type "approve"',
  );
});

Deno.test("the prompt names the context of a command without nodes", () => {
  assert.equal(
    line(":config_use_x"),
    ":config use x_  Enter runs it in context lab",
  );
});

Deno.test("builtin runbooks are completed", () => {
  assert.equal(
    line("x"),
    ":runbook run _  builtin:etcd-defrag  builtin:rolling-upgrade",
  );
  assert.equal(
    after("x r tab", after("x")).prompt?.text,
    "runbook run xr",
  );
  assert.equal(after("x b tab").prompt?.text, "runbook run builtin:");
  assert.equal(
    line("x b tab r tab"),
    ":runbook run builtin:rolling-upgrade_  Enter runs it in context lab",
  );
});

Deno.test("a command is edited in its middle, and recalled", () => {
  const typed = after(":reboot_-n_b left left left left left ctrl-a");
  assert.deepEqual(typed.prompt, {
    kind: "command",
    text: "",
    after: "reboot -n b",
  });
  const edited = after("end left left left left left x", typed);
  assert.deepEqual(edited.prompt, {
    kind: "command",
    text: "rebootx",
    after: " -n b",
  });
  assert.deepEqual(after("backspace right ctrl-e", edited).prompt, {
    kind: "command",
    text: "reboot -n b",
    after: "",
  });
  const ran = after("backspace enter", edited);
  assert.deepEqual(ran.command, ["reboot", "-n", "b"]);
  const next = after(":services enter", { ...ran, command: undefined });
  const text = (keys: string) => after(keys, next).prompt?.text;
  assert.equal(text(": up"), "services");
  assert.equal(text(": up up"), "reboot -n b");
  assert.equal(text(": up up up"), "reboot -n b");
  assert.equal(text(": up up down"), "services");
  assert.equal(text(": up down"), "");
  // The end of a line is completed by Right, too.
  assert.equal(text(":serv right"), "service");
});
