import { allSteps } from "../language/walk.ts";
import type { Step } from "../runbook.ts";
import { findEffect, isDisturbing } from "../../modules/module.ts";
import type { Engine } from "./engine.ts";
import { type Frame, pathIn } from "./frame.ts";
import { splitKey } from "../journal/resume_state.ts";

/**
 * Nodes to which one of these steps, or of their inner steps, has sent something in this entry of their block.
 *
 * @returns Distinct names; an empty one stands for the cluster.
 */
export function sentTo(
  { history: { instances } }: Pick<Engine, "history">,
  frame: Pick<Frame, "path" | "node" | "entry">,
  steps: readonly Pick<Step, "id">[],
): ReadonlySet<string> {
  const paths = steps.map(({ id }) => pathIn(frame, id));
  const nodes = [...instances].flatMap(([key, { intent }]) => {
    if (intent === undefined) return [];
    const { path, node } = splitKey(key);
    // Nodes of an inner fan-out count their own entries.
    const isOurs = node === (frame.node ?? "")
      ? intent.entry === frame.entry
      : frame.node === undefined;
    const isIn = paths.some((one) =>
      path === one || path.startsWith(`${one}/`)
    );
    return isOurs && isIn ? [node] : [];
  });
  return new Set(nodes);
}

/**
 * Nodes that a block has changed, or may have, and that no rescue has undone since.
 *
 * @param block Path of the block, and its node in a fan-out.
 * @param without Ids of steps to ignore.
 * @returns Names or addresses.
 */
export function changedIn(
  { history: { instances } }: Pick<Engine, "history">,
  block: Pick<Frame, "path" | "node">,
  without: readonly Pick<Step, "id">[],
): ReadonlySet<string> {
  const inside = block.path === "" ? "" : `${block.path}/`;
  const left = new Set(without.map(({ id }) => id));
  const nodes = [...instances].flatMap(([key, { intent }]) => {
    if (intent === undefined || intent.undone) return [];
    const { path, node } = splitKey(key);
    if (!path.startsWith(inside)) return [];
    if (block.node !== undefined && node !== block.node) return [];
    const [id = ""] = path.slice(inside.length).split("/");
    const changed = intent.target ?? node;
    return left.has(id) || changed === "" ? [] : [changed];
  });
  return new Set(nodes);
}

/** Reports whether any of these steps disturbs a node. */
export function disturbs(
  engine: Pick<Engine, "module">,
  steps: readonly Step[],
): boolean {
  return [...allSteps(steps)].some((step) =>
    step.verb === "run" &&
    isDisturbing(findEffect(engine.module(step.module)))
  );
}

/** Reports whether steps change a node before they disturb it, as by cordoning and draining it first. */
export function prepares(
  engine: Pick<Engine, "module">,
  steps: readonly Step[],
): boolean {
  const effects = [...allSteps(steps)].flatMap((step) =>
    step.verb === "run" ? [findEffect(engine.module(step.module))] : []
  ).filter((effect) => effect !== "read");
  return effects[0] === "write" && disturbs(engine, steps);
}
