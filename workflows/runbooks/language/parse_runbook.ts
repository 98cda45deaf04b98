/** Builds the engine's runbook from a parsed document. */

import { type Cursor, toCursor } from "../../../config/documents/cursor.ts";
import type { MapNode } from "../../../config/tree/node.ts";
import type { FieldType } from "../../runbook_cel/field.ts";
import type {
  NodeGroup,
  OrderKey,
  Policy,
  Requirements,
  RuleOverride,
  Runbook,
  RunbookInput,
  Variable,
  Window,
} from "../runbook.ts";
import {
  type OverridableRule,
  overridableRules,
} from "../../operations/safety_rules.ts";
import { withChanged } from "./changed_group.ts";
import { days, inputTypes, orderKeys } from "./language.ts";
import { remember } from "./source_places.ts";
import {
  type Making,
  optionalField,
  parseSteps,
  parseTemplate,
  parseTemplates,
  parseTexts,
} from "./parse_steps.ts";

/**
 * Makes a runbook. Problems are reported before: wrong values count as absent.
 *
 * @param options Place of the file, and the used runbooks.
 */
export function parseRunbook(
  root: MapNode,
  options: Omit<Making, "inputs">,
): Runbook {
  const at = toCursor(root);
  const inputs = byName(at.get("inputs"), parseInput);
  const making = { ...options, inputs };
  return remember<Runbook>({
    v: 1,
    name: at.get("name").text() ?? "",
    title: at.get("title").text() ?? "",
    ...optionalField("docs", at.get("docs").text()),
    per: at.get("per").text() === "node" ? "node" : "cluster",
    requires: parseRequirements(at.get("requires")),
    inputs,
    vars: at.get("vars").entries().map(([name, value]): Variable => ({
      name,
      value: parseTemplate(value) ?? null,
    })),
    policy: parsePolicy(at.get("policy")),
    groups: withChanged(
      byName(at.get("groups"), (group) => parseGroup(group, options)),
      root,
      options.place,
    ),
    steps: parseSteps(at.get("steps"), making),
    rescue: parseSteps(at.get("rescue"), making),
    always: parseSteps(at.get("always"), making),
    outputs: parseTemplates(at.get("outputs")),
    place: options.place,
  }, root);
}

/** Stand-in for an unreadable runbook, so that the rest can be checked. */
export function standIn({ place }: Pick<Making, "place">): Runbook {
  return {
    v: 1,
    name: "",
    title: "",
    per: "cluster",
    requires: { needs: [] },
    inputs: {},
    vars: [],
    policy: { lock: "cluster", membership: "open", window: [], allow: [] },
    groups: {},
    steps: [],
    rescue: [],
    always: [],
    outputs: {},
    place,
  };
}

function byName<Value>(
  at: Cursor,
  make: (value: Cursor) => Value,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    at.entries().map(([name, value]) => [name, make(value)] as const),
  );
}

function parseRequirements(at: Cursor): Requirements {
  const needs = parseTexts(at.get("needs")).filter((word) =>
    word === "kubernetes"
  );
  return {
    ...optionalField("osctl", at.get("osctl").text()),
    ...optionalField("role", at.get("role").text()),
    needs,
  };
}

function parseInput(at: Cursor): RunbookInput {
  const type = findWord(inputTypes, at.get("type").text()) ?? "string";
  return remember<RunbookInput>({
    type: type satisfies FieldType,
    summary: at.get("description").text() ?? "",
    ...optionalField("required", at.get("required").truth()),
    ...optionalField("initial", parseTemplate(at.get("default"))),
    ...optionalField(
      "values",
      at.get("values").node === undefined
        ? undefined
        : parseTexts(at.get("values")),
    ),
    ...optionalField("pattern", at.get("pattern").text()),
    ...optionalField("min", parseTemplate(at.get("min"))),
    ...optionalField("max", parseTemplate(at.get("max"))),
    ...optionalField("mutable", at.get("mutable").truth()),
    ...optionalField("format", at.get("format").text()),
  }, at.node ?? { kind: "map", entries: [] });
}

function parsePolicy(at: Cursor): Policy {
  return {
    lock: at.get("lock").text() === "none" ? "none" : "cluster",
    ...optionalField("deadline", parseTemplate(at.get("deadline"))),
    membership: at.get("membership").text() === "frozen" ? "frozen" : "open",
    window: listItems(at.get("window")).map(parseWindow),
    allow: at.get("allow").items().flatMap(parseOverrides),
  };
}

function listItems(at: Cursor): readonly Cursor[] {
  return at.node?.kind === "map" ? [at] : at.items();
}

function parseWindow(at: Cursor): Window {
  return {
    days: parseTexts(at.get("days")).flatMap((day) =>
      findWord(days, day) ?? []
    ),
    from: at.get("from").text() ?? "",
    to: at.get("to").text() ?? "",
    zone: at.get("zone").text() ?? "UTC",
  };
}

function parseOverrides(at: Cursor): readonly RuleOverride[] {
  const rule = findWord<OverridableRule>(
    overridableRules,
    at.get("rule").text(),
  );
  if (rule === undefined) return [];
  return [{
    rule,
    ...optionalField("when", at.get("when").text()),
    ...optionalField("reason", at.get("reason").text()),
  }];
}

function parseGroup(at: Cursor, { place }: Pick<Making, "place">): NodeGroup {
  const keys = parseTexts(at.get("order"))
    .flatMap((key) => findWord<OrderKey>(orderKeys, key) ?? []);
  // Listed names keep their order.
  const isList = at.get("names").node !== undefined ||
    at.get("union").node !== undefined;
  const order: readonly OrderKey[] = isList ? [] : ["name"];
  return remember<NodeGroup>({
    ...optionalField("role", findWord(roles, at.get("role").text())),
    ...optionalField("names", parseTemplate(at.get("names"))),
    ...parseLabels(at.get("labels")),
    ...optionalField("where", at.get("where").text()),
    ...optionalField("from", at.get("from").text()),
    ...optionalField(
      "union",
      at.get("union").node === undefined
        ? undefined
        : parseTexts(at.get("union")),
    ),
    except: parseTexts(at.get("except")),
    ...optionalField("take", parseTemplate(at.get("take"))),
    order: keys.length === 0 ? order : keys,
    at: at.get("at").text() === "entry" ? "entry" : "plan",
    place: at.at ?? place,
  }, at.node ?? { kind: "map", entries: [] });
}

const roles = ["controlplane", "worker"] as const;

function parseLabels(at: Cursor): Pick<NodeGroup, "labels"> {
  if (at.node === undefined) return {};
  const labels = at.entries().map(([name, value]) =>
    [name, value.text() ?? ""] as const
  );
  return { labels: Object.fromEntries(labels) };
}

function findWord<Word extends string>(
  words: readonly Word[],
  text: string | undefined,
): Word | undefined {
  return words.find((word) => word === text);
}
