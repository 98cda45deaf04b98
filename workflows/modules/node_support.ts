/** `node.collectSupport`: what a node has to say, before it is touched again. */

import type { Module } from "../runbooks/module.ts";
import { collectBundle } from "../support/node_bundle.ts";

/** Reads logs and states of a node into the folder of the run. */
export const nodeCollectSupport: Module = {
  kind: "read",
  name: "node.collectSupport",
  summary: "Keep logs and states of a node in the folder of the run",
  scope: "node",
  input: {},
  output: {
    folder: { type: "path", summary: "Folder with the files" },
    files: { type: "int", summary: "How many there are" },
    missing: {
      type: "list",
      items: { type: "string", summary: "A file, and why it is not there" },
      summary: "What could not be read",
    },
  },
  retryable: ["unavailable", "deadline"],
  widenable: [],
  timeout: "10m",
  volatile: false,
  async *read({ node, client, clock, signal, room: { artifacts } }) {
    const now = new Date(clock.now()).toISOString();
    const time = now.replace(/[-:]|\.\d+/g, "");
    const name = node.replace(/[^A-Za-z0-9._-]/g, "_");
    const folder = `${artifacts}/support-${name}-${time}`;
    const bundle = yield* collectBundle(client, { folder, signal });
    const { files, missing } = bundle;
    return { folder, files: files.length, missing };
  },
};
