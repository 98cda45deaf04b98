/** Another runbook as a step. */

import { runBlock } from "./block.ts";
import type { Json } from "../../operations/operation.ts";
import type { Step } from "../runbook.ts";
import type { Engine } from "./engine.ts";
import type { Book, Frame } from "./frame.ts";
import { groupKey } from "../journal/history.ts";
import { enterBook } from "./run_values.ts";
import { render } from "./scope.ts";
import type { StepEnd } from "./failure.ts";

/** Does a runbook with a scope of its own. */
export async function runUse(
  engine: Engine,
  frame: Frame,
  step: Extract<Step, { readonly verb: "use" }>,
  path: string,
): Promise<StepEnd> {
  const inputs: Record<string, Json> = {};
  for (const [name, template] of Object.entries(step.with)) {
    inputs[name] = await render(engine, frame, template);
  }
  // A runbook knows of what it changes itself, and of nothing around it.
  const { changed: _, ...around } = frame;
  const book: Book = await enterBook(
    engine,
    step.runbook,
    path,
    inputs,
    around,
  );
  await freezeGroups(engine, book);
  const inside: Frame = {
    ...around,
    book,
    path,
    outputs: new Map(),
    around: [],
  };
  const end = await runBlock(engine, inside, step.runbook);
  if ("failure" in end) return end;
  const outputs: Record<string, Json> = {};
  const seen: Frame = {
    ...inside,
    outputs: new Map(Object.entries(end.outputs)),
  };
  for (const [name, template] of Object.entries(step.runbook.outputs)) {
    outputs[name] = await render(engine, seen, template);
  }
  return { outputs };
}

/** Writes down who the groups of a runbook are, once. */
async function freezeGroups(
  { history, groups, journal }: Engine,
  book: Book,
): Promise<void> {
  for (const name of Object.keys(book.runbook.groups)) {
    const key = groupKey(book, name);
    if (history.groups.has(key)) continue;
    const nodes = [...groups.get(key) ?? []];
    await journal.append({ t: "group", p: key, d: { nodes } });
  }
}
