/** `-o`: the format rows are written in. */

import { type Format, formats } from "../../terminal/format.ts";
import { type Flag, InputProblem } from "./inputs.ts";

/** The flag commands get whose rows are data. */
export const outputFlag: Flag<Format> = {
  role: "flag",
  type: "string",
  short: "o",
  summary: "format: table, json, jsonl, yaml or jsonpath=<template>",
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
        ? "must carry a template: jsonpath=<template>"
        : `must be one of ${formats.join(", ")}, jsonpath=<template>`,
    );
  },
};
