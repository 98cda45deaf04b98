import { UsageError } from "../../errors.ts";
import type { TrustList } from "../ca/trust_list.ts";
import type { Json } from "../operations/operation.ts";
import type { Check } from "./check.ts";
import { counted, groupField, groupOf, unless } from "./finding.ts";
import { kindField, kindIn, trustOf } from "./trust_lists.ts";

/** Whether an authority issues on all control planes, and all other nodes accept it. */
export const caAllServe: Check = {
  name: "ca.allServe",
  summary: "The authority issues on every control plane, and all nodes know it",
  scope: "cluster",
  input: {
    kind: kindField,
    ca: {
      type: "any",
      summary: "The authority: what ca.generate gave, or its SHA-256",
      required: true,
    },
    group: groupField,
  },
  async look(site, input) {
    const wanted = fingerprintIn(input.ca);
    const nodes = await groupOf(site, input);
    const { values, problems } = await trustOf(site, nodes, kindIn(input.kind));
    const wrong = [...values].flatMap(([node, list]) => {
      const problem = problemOf(list, wanted);
      return problem === undefined ? [] : [`${node}: ${problem}`];
    });
    return unless(
      [...problems, ...wrong],
      `${counted(nodes.length, "node")} with the authority`,
    );
  },
};

function problemOf(
  { controlPlane, issuing, accepted }: TrustList,
  wanted: string,
): string | undefined {
  if (issuing !== undefined || controlPlane) {
    return issuing?.fingerprint === wanted
      ? undefined
      : "another authority issues";
  }
  // Workers of newer nodes name nobody who issues.
  return accepted.some(({ fingerprint }) => fingerprint === wanted)
    ? undefined
    : "it does not accept the authority";
}

function fingerprintIn(value: Json | undefined): string {
  if (typeof value === "string") return value.replaceAll(":", "").toLowerCase();
  if (typeof value === "object" && value !== null && "fingerprint" in value) {
    return String(value.fingerprint);
  }
  throw new UsageError("The check is told no authority", {
    hint: "Give it what ca.generate gave, or a fingerprint",
  });
}
