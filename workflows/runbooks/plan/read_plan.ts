/** Plans that were written into a file. */

import { readBoundedText } from "../../../config/files/bounded_file.ts";
import { ConfigError } from "../../../errors.ts";
import type { Plan } from "./plan.ts";

/** Largest file, in MiB; a plan for a thousand nodes has a few. */
const limitMib = 64;

/**
 * Reads a plan.
 *
 * @param path File that `osctl runbook plan -o json` has written.
 * @throws {ConfigError} If there is none, or it is not a plan.
 */
export async function readPlan(path: string): Promise<Plan> {
  const text = await readBoundedText({
    path,
    limitMib,
    expected: "a plan",
  });
  if (text === undefined) throw new ConfigError(`There is no file "${path}"`);
  const found = parsed(text);
  if (isPlan(found)) return found;
  throw new ConfigError(`Cannot read "${path}": it is not a plan`, {
    hint: "Make one with: osctl runbook plan <runbook> -o json",
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Looks at what a run is compared with; the rest is for people. */
function isPlan(value: unknown): value is Plan {
  if (!isRecord(value) || value.v !== 1) return false;
  const { ir, cluster, inputs, groups, facts } = value;
  return typeof ir === "string" && isRecord(inputs) &&
    isRecord(cluster) && typeof cluster.id === "string" &&
    Array.isArray(groups) && groups.every(isGroup) &&
    isRecord(facts) &&
    Object.values(facts).every((one) => typeof one === "string");
}

function isGroup(value: unknown): boolean {
  return isRecord(value) && typeof value.name === "string" &&
    Array.isArray(value.nodes) &&
    value.nodes.every((node) => typeof node === "string");
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
