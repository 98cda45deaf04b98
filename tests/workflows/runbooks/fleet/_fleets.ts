/** Fleets of tests, and the runbook that is run on them. */

import { finders } from "../../../_finders.ts";
import {
  type LoadedRunbook,
  loadRunbook,
} from "../../../../workflows/runbooks/language/loading/load.ts";
import {
  type Fleet,
  readFleet,
} from "../../../../workflows/runbooks/fleet/fleet.ts";

/** Beginning of every fleet here; two lines. */
export const head = "apiVersion: osctl/v1\nkind: Fleet\n";

/** A fleet with nothing but what is required. */
export const small = `${head}image: registry.example/osctl:1.4.0
waves: [{ name: all, clusters: [lab-1] }]
`;

/** A runbook with an input of most types, and both kinds of approvals. */
export const runbook = `apiVersion: osctl/v1
kind: Runbook
name: demo
title: For tests
inputs:
  version: { type: semver }
  batch: { type: countOrPercent }
  on: { type: bool }
  who: { type: nodes }
  any: { type: string }
  key: { type: secret }
steps:
  - { id: go, approve: { tag: start, message: "Go?" } }
  - { id: lose, approve: { tag: wipe, message: "Lose it?", destructive: true } }
`;

/** Loads a runbook; others by path are what it uses. */
export async function load(
  text = runbook,
  path = "builtin:demo",
  files: Readonly<Record<string, string>> = {},
): Promise<LoadedRunbook> {
  return await loadRunbook(path, {
    find: finders,
    read: (one) => Promise.resolve(one === path ? text : files[one]),
  }).catch(async (error) => {
    if (!path.startsWith("builtin:")) throw error;
    // The program's own folder cannot be a parameter, so its path is changed.
    const plain = await load(text, "demo.runbook.yaml", files);
    return { ...plain, files: plain.files.map((file) => ({ ...file, path })) };
  });
}

/** Reads a fleet for a runbook. */
export async function parseFleet(
  text: string,
  given?: LoadedRunbook,
): Promise<Fleet> {
  return readFleet({ path: "f.yaml", text }, given ?? await load());
}

export async function fleetProblems(
  text: string,
  given?: LoadedRunbook,
): Promise<readonly string[]> {
  try {
    await parseFleet(text, given);
    return [];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return error.message.replace(/^Cannot use fleet "f.yaml":\s*/, "")
      .split("\n").map((line) => line.trim());
  }
}
