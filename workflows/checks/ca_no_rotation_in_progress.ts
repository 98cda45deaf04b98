import type { TrustList } from "../ca/trust_list.ts";
import type { CaKind } from "../ca/trust_list.ts";
import type { Check, CheckSite } from "./check.ts";
import { counted, groupField, groupOf, unless } from "./finding.ts";
import { trustOf } from "./trust_lists.ts";

const kinds: readonly CaKind[] = ["os", "kubernetes"];

const titles: Readonly<Record<CaKind, string>> = {
  os: "the authority of the nodes' API",
  kubernetes: "the authority of Kubernetes",
};

/** Whether no exchange of an authority has stopped half-way. */
export const caNoRotationInProgress: Check = {
  name: "ca.noRotationInProgress",
  summary:
    "All nodes agree whom they trust, so no rotation has stopped half-way",
  scope: "cluster",
  input: { group: groupField },
  async look(site, input) {
    const nodes = await groupOf(site, input);
    const problems = await Promise.all(
      kinds.map((kind) => disagreements(site, nodes, kind)),
    );
    // A node that does not answer is named once, not once for each authority.
    const all = [...new Set(problems.flat())];
    return unless(all, `${counted(nodes.length, "node")} agree`);
  },
};

async function disagreements(
  site: CheckSite,
  nodes: readonly string[],
  kind: CaKind,
): Promise<readonly string[]> {
  const { values, problems } = await trustOf(site, nodes, kind);
  const issuers = new Set(
    [...values.values()].flatMap(({ issuing }) => issuing?.fingerprint ?? []),
  );
  const lists = new Set([...values.values()].map(known));
  return [
    ...problems,
    ...issuers.size > 1 ? [`nodes do not agree who is ${titles[kind]}`] : [],
    ...issuers.size <= 1 && lists.size > 1
      ? [`nodes do not accept the same besides ${titles[kind]}`]
      : [],
  ];
}

function known({ issuing, accepted }: TrustList): string {
  const all = [...accepted, ...issuing === undefined ? [] : [issuing]];
  return all.map(({ fingerprint }) => fingerprint).toSorted().join(" ");
}
