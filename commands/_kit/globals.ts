/** Flags every command takes, before or after its name. */

import { legacyFlags, legacyHome } from "../../talos.ts";
import {
  choice,
  duration,
  type Flag,
  InputProblem,
  strings,
  text,
  toggle,
  type Values,
} from "./inputs.ts";
import {
  type CustomColumn,
  type Format,
  formats,
} from "../../terminal/format.ts";
import type { ColorChoice } from "../../terminal/tone.ts";

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
  selector: text(
    "only nodes with these labels, such as role=worker,zone!=a; without --nodes, of the whole cluster",
    { short: "l" },
  ),
  osconfig: text("path of the client configuration", {
    aliases: [legacyFlags.osconfig],
    complete: "files",
    shown: `$OSCONFIG, then $HOME/.os/config, then $HOME/${legacyHome}/config`,
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
  color: choice<ColorChoice>(
    "when to use colors; auto means on a terminal, unless NO_COLOR is set",
    ["auto", "always", "never"],
    { initial: "auto" },
  ),
  noPager: toggle("do not show help in a pager"),
  verbose: toggle("also show the original errors of nodes and libraries"),
};

/** Values of {@linkcode globals}. */
export type Globals = Values<typeof globals>;

/** Shows help, anywhere on the line. */
export const helpFlag = {
  help: toggle("show help for the command", { short: "h" }),
};

/** Only before a command; a command may have a flag of the same name. */
export const versionFlag = {
  version: toggle("show the version of osctl, without a command"),
};

/** The output flag of commands whose rows are data. */
export const outputFlag: Flag<Format> = {
  role: "flag",
  type: "string",
  short: "o",
  summary:
    "output format: table, wide, json, jsonl, yaml, name, custom-columns=<header>:<path>,... or jsonpath=<template>",
  choices: [...formats, "custom-columns=", "jsonpath="],
  initial: { kind: "table" },
  shown: "table",
  parse(value) {
    const kind = formats.find((known) => known === value);
    if (kind === "wide") return { kind: "table", wide: true };
    if (kind !== undefined) return { kind };
    if (value === "text" || value === "human") return { kind: "table" };
    if (value.startsWith("custom-columns=")) {
      const columns = customColumns(value.slice("custom-columns=".length));
      return { kind: "custom-columns", columns };
    }
    if (value.startsWith("jsonpath=")) {
      return { kind: "jsonpath", template: value.slice("jsonpath=".length) };
    }
    if (value === "custom-columns") {
      throw new InputProblem("must include columns, such as NODE:.node");
    }
    throw new InputProblem(
      value === "jsonpath"
        ? "must include a template: jsonpath=<template>"
        : `must be one of ${
          formats.join(", ")
        }, custom-columns=<header>:<path>,..., jsonpath=<template>`,
    );
  },
};

const betweenColumns = /,(?![^[{(]*[\]})])/;

function customColumns(text: string): readonly CustomColumn[] {
  return text.split(betweenColumns).map((part) => {
    const at = part.indexOf(":");
    const [header, path] = [part.slice(0, at), part.slice(at + 1)];
    if (at > 0 && path !== "") return { header, path };
    throw new InputProblem(
      `column "${part}" must be a header and a path, such as NODE:.node`,
    );
  });
}

/** Flags of read-only commands whose rows are tables. */
export const tableInputs = {
  sortBy: text(
    "sort by a column or a path: SIZE or .size; -SIZE for the largest first",
    { step: false },
  ),
  noHeaders: toggle("print rows without headers", { step: false }),
  fieldSelector: {
    ...strings(
      "print only rows whose column or path has this value: STATE=Running, .spec.kind!=bond",
      { step: false },
    ),
    parse(value: string, before: readonly string[] | undefined) {
      if (/^[^=!]+(?:!=|==?)/.test(value)) return [...before ?? [], value];
      throw new InputProblem("must be COLUMN=value or COLUMN!=value");
    },
  },
};

/** Additional flag of lists. */
export const watchInput = {
  watch: toggle("print the list, then changes; redraw it on a terminal", {
    short: "w",
    step: false,
  }),
};

/** True if nodes are named on the command line, by name or label. */
export function namesNodes(
  { nodes, selector }: Pick<Globals, "nodes" | "selector">,
): boolean {
  return nodes.length > 0 || selector !== undefined;
}
