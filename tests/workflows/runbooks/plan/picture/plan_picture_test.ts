import assert from "node:assert/strict";
import { planPicture } from "../../../../../workflows/runbooks/plan/picture/plan_picture.ts";
import {
  domOf,
  type Look,
  measured,
  misplaced,
  screenshot,
  sizeOf,
} from "../../../../_browser.ts";
import { needs } from "../../../../_needs.ts";
import { emptyPlan, fullPlan, head, walk } from "./_plans.ts";

function inBrowser(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ...needs("chromium"), fn });
}

const names = Array.from({ length: 200 }, (_, i) => `worker-${i + 1}`);

const large = planPicture({
  ...emptyPlan,
  stages: [{
    ...head("workers"),
    verb: "forEach",
    group: "workers",
    batches: names.map((name) => [name]),
    ramp: false,
    maxUnavailable: 1,
    maxFailures: 0,
    steps: [walk("workers", names)],
    rescue: [],
    always: [],
  }],
});

Deno.test("planPicture needs nothing but itself, and no scripts", () => {
  const html = planPicture(fullPlan);
  assert.doesNotMatch(html, /<script|src=|href=|url\(|@import/);
  assert.match(html, /default-src 'none'/);
});

Deno.test("planPicture says that there is nothing to do", () => {
  const html = planPicture(emptyPlan);
  assert.match(html, /<strong>Nothing to do\.<\/strong>/);
  assert.doesNotMatch(html, /<table|Joined/);
});

Deno.test("planPicture counts what is changed, and what is decided at run time", () => {
  assert.match(planPicture(fullPlan), /<strong>24 changes on 8 nodes\.</);
  const unknown = planPicture({
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

Deno.test("planPicture keeps texts from nodes texts", () => {
  const html = planPicture(fullPlan);
  assert.match(html, /NOSPACE on cp-1 &lt;since Monday&gt;/);
});

inBrowser("planPicture is a document as the browser reads it", async () => {
  const dom = await domOf(planPicture(fullPlan));
  assert.match(dom, /<title>rolling-upgrade on prod<\/title>/);
  for (const id of ["safety", "groups", "inputs", "unknowns"]) {
    assert.match(dom, new RegExp(`<table id="${id}">`));
  }
});

inBrowser(
  "planPicture has every step, node, approval and point of no return in the drawing",
  async () => {
    const found = await measured(
      planPicture(fullPlan),
      `[...document.querySelectorAll("#picture text")].map((one) => one.lastChild.textContent)`,
    );
    // The expression gives a list of texts.
    const texts = found as readonly string[];
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
  "planPicture draws no text over another one, or outside",
  async () => {
    assert.deepEqual(await measured(planPicture(fullPlan), misplaced), []);
    assert.deepEqual(await measured(large, misplaced), []);
  },
);

inBrowser(
  "planPicture fits narrow windows: the drawing scrolls, the page does not",
  async () => {
    const found = await measured(
      planPicture(fullPlan),
      `[document.documentElement.scrollWidth, innerWidth]`,
      { width: 600 },
    );
    assert.deepEqual(found, [600, 600]);
  },
);

inBrowser("planPicture is light or dark, as the reader prefers", async () => {
  const colours = (look: Look) =>
    measured(
      planPicture(fullPlan),
      `[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector("svg text")).fill]`,
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

inBrowser("planPicture can be photographed", async () => {
  const png = await screenshot(large, { width: 1100, height: 1000 });
  assert.deepEqual(sizeOf(png), [1100, 1000]);
  // A blank page of this size has less than 10 kB.
  assert.ok(png.length > 20_000);
});
