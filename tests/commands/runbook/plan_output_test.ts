import assert from "node:assert/strict";
import {
  planSections,
  planSummary,
} from "../../../workflows/runbooks/report/plan_summary.ts";
import { planText } from "../../../workflows/runbooks/report/plan_view.ts";
import { planPage } from "../../../workflows/runbooks/plan/page/plan_page.ts";
import {
  emptyPlan,
  fullPlan,
} from "../../workflows/runbooks/plan/page/_plans.ts";
import { planOutputFlag, writePlan } from "../../../commands/runbook/plan.ts";

async function toText(
  format: string,
  plan = fullPlan,
  details = false,
): Promise<string> {
  const parts: string[] = [];
  const decoder = new TextDecoder();
  await writePlan(plan, planOutputFlag.parse(format, undefined), {
    options: { details },
    sink: {
      terminal: false,
      columns: () => undefined,
      write(bytes) {
        parts.push(decoder.decode(bytes));
        return Promise.resolve();
      },
    },
  });
  return parts.join("");
}

Deno.test("a plan is written as text, as a page, or as one document", async () => {
  assert.equal(await toText("table"), planSummary(fullPlan));
  assert.equal(await toText("text", fullPlan, true), planText(fullPlan));
  assert.equal(
    await toText("html"),
    planPage(fullPlan, planSections(fullPlan, { columns: 126 })),
  );
  assert.deepEqual(JSON.parse(await toText("json")), fullPlan);
  const lines = (await toText("jsonl")).trimEnd().split("\n");
  assert.equal(lines.length, 1);
  assert.equal(
    await toText("jsonpath={.runbook}", emptyPlan),
    "rolling-upgrade\n",
  );
});

Deno.test("other formats are refused, with those there are", () => {
  assert.throws(() => planOutputFlag.parse("svg", undefined), {
    message:
      "must be one of table, json, jsonl, yaml, html, jsonpath=<template>",
  });
  assert.throws(() => planOutputFlag.parse("jsonpath", undefined), {
    message: "must include a template: jsonpath=<template>",
  });
});
