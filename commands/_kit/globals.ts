/** Flags every command takes, before or after its name. */

import { legacyFlags } from "../../dialect.ts";
import {
  duration,
  type Flag,
  InputProblem,
  strings,
  text,
  toggle,
  type Values,
} from "./inputs.ts";
import { type Format, formats } from "../../terminal/format.ts";

/** Declarations of {@linkcode Globals}. Source: specification 4.1. */
export const globals = {
  context: text("context to use", { complete: "contexts" }),
  endpoints: strings("endpoints to use instead of those of the context", {
    short: "e",
  }),
  nodes: strings(
    "nodes to act on: names, addresses, @all, @controlplane, @workers",
    { short: "n", complete: "nodes" },
  ),
  osconfig: text("path of the client configuration", {
    aliases: [legacyFlags.osconfig],
    complete: "files",
    shown: "$OSCONFIG, then $HOME/.os/config",
  }),
  cluster: text("cluster to connect to when a proxy endpoint is used"),
  osv1KeysDir: text("directory with PGP keys for proxy-v1 authentication", {
    aliases: [legacyFlags.osv1KeysDir],
    complete: "directories",
    shown: "$OSV1_KEYS_DIR, then $HOME/.os/keys",
  }),
  nodeTimeout: duration("timeout for each request to a node", {
    initial: "30s",
  }),
  noExpiryWarning: toggle("do not warn about certificates that expire soon"),
};

/** Values of {@linkcode globals}. */
export type Globals = Values<typeof globals>;

/** The flag commands get whose rows are data. */
export const outputFlag: Flag<Format> = {
  role: "flag",
  type: "string",
  short: "o",
  summary: "output format: table, json, jsonl, yaml or jsonpath=<template>",
  choices: [...formats, "jsonpath="],
  initial: { kind: "table" },
  shown: "table",
  parse(value) {
    const kind = formats.find((known) => known === value);
    if (kind !== undefined) return { kind };
    if (value === "text" || value === "human") return { kind: "table" };
    if (value.startsWith("jsonpath=")) {
      return { kind: "jsonpath", template: value.slice("jsonpath=".length) };
    }
    throw new InputProblem(
      value === "jsonpath"
        ? "must include a template: jsonpath=<template>"
        : `must be one of ${formats.join(", ")}, jsonpath=<template>`,
    );
  },
};
