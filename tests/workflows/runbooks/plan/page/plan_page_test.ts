import assert from "node:assert/strict";
import { planPage } from "../../../../../workflows/runbooks/plan/page/plan_page.ts";
import { type Look, measure } from "../../../../_browser.ts";
import { needs } from "../../../../_needs.ts";
import { emptyPlan, fullPlan, head } from "./_plans.ts";

function inBrowser(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ...needs("chromium"), fn });
}

Deno.test("planPage needs nothing but itself, and no scripts", () => {
  const html = planPage(fullPlan);
  assert.doesNotMatch(html, /<script|src=|href=|url\(|@import/);
  assert.match(html, /default-src 'none'/);
});

Deno.test("planPage says that there is nothing to do", () => {
  const html = planPage(emptyPlan);
  assert.match(html, /<strong>Nothing to do\.<\/strong>/);
  assert.doesNotMatch(html, /<table|Joined/);
});

Deno.test("planPage starts with the page of the terminal", () => {
  const html = planPage(fullPlan, {
    summary: ["Steps\n  1  a <b>", "Takes\n  5m"],
  });
  assert.match(
    html,
    /<pre id="summary">Steps\n {2}1 {2}a &lt;b&gt;\n\nTakes\n {2}5m<\/pre>\n<h2>Safety/,
  );
});

Deno.test("planPage counts what is changed, and what is decided at run time", () => {
  assert.match(planPage(fullPlan), /<strong>24 changes on 8 nodes\.</);
  const unknown = planPage({
    ...emptyPlan,
    stages: [{
      ...head("a"),
      verb: "run",
      module: "m",
      effect: "write",
      previews: [{ outcome: "unknown", actions: [] }],
    }],
  });
  assert.match(
    unknown,
    /<strong>0 changes on 0 nodes, 1 decided at run time\.</,
  );
});

Deno.test("planPage escapes texts of nodes", () => {
  const html = planPage(fullPlan);
  assert.match(html, /NOSPACE on cp-1 &lt;since Monday&gt;/);
});

inBrowser(
  "planPage has every step, node, approval and point of no return",
  async () => {
    const found = await measure(
      planPage(fullPlan),
      `[document.title, [...document.querySelectorAll("table")].map(({ id }) => id),
        [...document.querySelectorAll("#steps :is(p, span, strong, li.node)")].map((one) => one.textContent)]`,
    );
    // The expression gives these.
    const [title, tables, texts] = found as [string, string[], string[]];
    assert.equal(title, "rolling-upgrade on prod");
    assert.deepEqual(tables, [
      "safety",
      "groups",
      "inputs",
      "decided-at-run-time",
    ]);
    const wanted = [
      "preflight",
      "etcd.noAlarms fails: NOSPACE on cp-1 <since Monday>",
      'decide first = "cp-1"',
      "skipped",
      "approval start",
      "3 nodes of controlplane",
      "1 at once, the next starts when one is done",
      "cp-1",
      "S1 waits cp-2: etcd voter cp-3 is not healthy",
      "batch 2",
      "w-5",
      "node.ready 4 holds, 1 fails: w-2: kubelet is not ready",
      'when error.step == "back", decided at run time',
      "asks, destructive",
      "type to approve: prod",
      "if the run fails",
      "always, at the end",
    ];
    assert.deepEqual(wanted.filter((text) => !texts.includes(text)), []);
    const marks = texts.filter((text) => text === "point of no return");
    assert.equal(marks.length, 2);
    assert.ok(!texts.includes("wipe EPHEMERAL: loses data of etcd"));
  },
);

inBrowser(
  "planPage fits narrow windows, with nodes below the steps",
  async () => {
    const found = await measure(
      planPage(fullPlan),
      `[document.documentElement.scrollWidth, innerWidth,
      getComputedStyle(document.querySelector(".fan-out")).flexDirection]`,
      { width: 600 },
    );
    assert.deepEqual(found, [600, 600, "column"]);
  },
);

inBrowser("planPage is light or dark, as the reader prefers", async () => {
  const colours = (look: Look) =>
    measure(
      planPage(fullPlan),
      `[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector("#steps strong")).color]`,
      look,
    );
  assert.deepEqual(await colours({}), [
    "rgb(255, 255, 255)",
    "rgb(27, 31, 36)",
  ]);
  assert.deepEqual(await colours({ dark: true }), [
    "rgb(20, 23, 27)",
    "rgb(230, 233, 238)",
  ]);
});

Deno.test("planPage names steps and rules in words, and the minute of the plan", () => {
  const html = planPage(fullPlan, { place: (path) => `<${path}>` });
  assert.match(html, /<p class="quiet">Planned 2026-11-20 19:30 UTC\. /);
  assert.match(
    html,
    /<tr><td>S1<\/td><td class="warn">waits<\/td><td>&lt;controlplane\/node\/restart&gt; on cp-2<\/td><td>Control planes are disrupted only while etcd can lose a member: etcd voter cp-3 is not healthy<\/td><\/tr>/,
  );
  assert.match(
    html,
    /<td>&lt;workers\/node\/revert&gt;<\/td><td>its condition<\/td>/,
  );
  assert.match(html, /<td>&lt;workers\/node\/back&gt;<\/td><\/tr>/);
  const titled = planPage({
    ...emptyPlan,
    stages: [{
      ...head("spare", { title: "Check etcd" }),
      verb: "sleep",
      duration: "1s",
    }],
  });
  assert.match(
    titled,
    /<strong>Check etcd<\/strong> <span class="quiet">sleep/,
  );
});
