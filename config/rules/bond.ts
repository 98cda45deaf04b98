/** Bond settings of an interface of `machine.network.interfaces`. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { bond as bondFields } from "../documents/v1alpha1/machine_network.ts";
import { isGiven, joinWords, listTexts, readText } from "./checks.ts";

/** Keywords of the kernel's bonding driver. */
function bondWords(): readonly (readonly [string, readonly string[]])[] {
  return Object.entries(bondFields()).flatMap(([name, { shape }]) =>
    shape.shape === "scalar" && shape.values ? [[name, shape.values]] : []
  );
}

const arpMonitor = ["balance-rr", "active-backup", "balance-xor", "broadcast"];
const loadBalancing = ["balance-tlb", "balance-alb"];

/** Mode-specific settings; for numbers, values from `above` on. */
const bound: readonly {
  readonly field: string;
  readonly modes: readonly string[];
  readonly above?: number;
}[] = [
  { field: "lacpRate", modes: ["802.3ad"] },
  { field: "adActorSysPrio", modes: ["802.3ad"], above: 0 },
  { field: "adUserPortKey", modes: ["802.3ad"], above: 0 },
  { field: "arpValidate", modes: arpMonitor },
  { field: "arpInterval", modes: arpMonitor, above: 0 },
  { field: "primary", modes: ["active-backup", ...loadBalancing] },
  { field: "packetsPerSlave", modes: ["balance-rr"], above: 1 },
  { field: "tlbDynamicLb", modes: loadBalancing, above: 0 },
];

/** Settings of a bond must exist, fit its mode and each other. */
export function* bondRules(bond: Cursor): Iterable<Problem> {
  if (!isGiven(bond)) return;
  yield* wordRules(bond);
  yield* modeRules(bond);
  yield* delayRules(bond);
  const unsupported = [
    ...listTexts(bond.get("arpIPTarget")).slice(0, 1).map(() => "arpIPTarget"),
    ...(readText(bond.get("adActorSystem")) === "" ? [] : ["adActorSystem"]),
  ];
  for (const name of unsupported) {
    yield bond.get(name).error(`Nodes do not support ${name}`, "Remove it");
  }
}

function* wordRules(bond: Cursor): Iterable<Problem> {
  for (const [field, values] of bondWords()) {
    const place = bond.get(field);
    const text = readText(place);
    if (text === "" || values.includes(text)) continue;
    yield place.error(
      `"${text}" is not a valid value for ${field}`,
      `Write ${joinWords(values)}`,
    );
  }
}

function* modeRules(bond: Cursor): Iterable<Problem> {
  const mode = readText(bond.get("mode")) || "balance-rr";
  if (!new Map(bondWords()).get("mode")?.includes(mode)) return;
  for (const { field, modes, above } of bound) {
    const place = bond.get(field);
    const counts = above === undefined
      ? readText(place) !== ""
      : numberAt(place) > above;
    if (!counts || modes.includes(mode)) continue;
    yield place.error(
      `${field} ${readText(place)} has no effect in bond mode "${mode}"`,
      `Remove it, or set the mode to ${joinWords(modes)}`,
    );
  }
}

/** Delays must be multiples of `miimon`, the interval of link checks in milliseconds. */
function* delayRules(bond: Cursor): Iterable<Problem> {
  const interval = numberAt(bond.get("miimon"));
  for (const field of ["updelay", "downdelay"]) {
    const place = bond.get(field);
    const delay = numberAt(place);
    if (interval === 0 && delay !== 0) {
      yield place.error(
        `${field} ${delay} is given without miimon`,
        "Set miimon; the delay must be a multiple of it",
      );
    } else if (interval !== 0 && delay % interval !== 0) {
      yield place.error(
        `${field} ${delay} is not a multiple of miimon ${interval}`,
        `Write a multiple of ${interval}`,
      );
    }
  }
}

function numberAt(place: Cursor): number {
  return place.number() ?? 0;
}
