import { UsageError } from "../../errors.ts";
import { takeTrust } from "../ca/cluster_trust.ts";
import type { CaKind, TrustList } from "../ca/trust_list.ts";
import type { Json } from "../../lib/json.ts";
import { askAll, readGroup } from "./ask_nodes.ts";
import { type Check, type CheckContext, groupField, unless } from "./check.ts";
import { formatCount } from "../../lib/text/count.ts";

/** Checks that a CA issues on all control planes and that all other nodes accept it. */
export const caAllServe: Check = {
  name: "ca.allServe",
  summary:
    "All control planes issue certificates with the CA, and all nodes accept it",
  scope: "cluster",
  input: {
    kind: {
      type: "string",
      summary: "CA: os (node API) or kubernetes",
      required: true,
    },
    ca: {
      type: "any",
      summary: "The CA: the output of ca.generate, or its SHA-256",
      required: true,
    },
    group: groupField,
  },
  async run(context, input) {
    const wanted = fingerprintIn(input.ca);
    const kind = kindIn(input.kind);
    const nodes = await readGroup(context, input);
    const { values, problems } = await askAll(
      context,
      nodes,
      (client) => takeTrust(client, kind),
    );
    const wrong = [...values].flatMap(([node, list]) => {
      const problem = findProblem(list, wanted);
      return problem === undefined ? [] : [`${node}: ${problem}`];
    });
    return unless(
      [...problems, ...wrong],
      `${formatCount(nodes.length, "node")} with the CA`,
    );
  },
};

function findProblem(
  { controlPlane, issuing, accepted }: TrustList,
  wanted: string,
): string | undefined {
  if (issuing !== undefined || controlPlane) {
    return issuing?.fingerprint === wanted ? undefined : "another CA issues";
  }
  // Workers of newer versions name no issuing CA.
  return accepted.some(({ fingerprint }) => fingerprint === wanted)
    ? undefined
    : "it does not accept the CA";
}

function fingerprintIn(value: Json | undefined): string {
  if (typeof value === "string") return value.replaceAll(":", "").toLowerCase();
  if (typeof value === "object" && value !== null && "fingerprint" in value) {
    return String(value.fingerprint);
  }
  throw new UsageError("The check has no CA to look for", {
    hint: "Give the output of ca.generate, or a fingerprint",
  });
}

const kinds: readonly CaKind[] = ["os", "kubernetes"];

const titles: Readonly<Record<CaKind, string>> = {
  os: "the CA of the node API",
  kubernetes: "the CA of Kubernetes",
};

/** Checks that no CA rotation is in progress. */
export const caNoRotationInProgress: Check = {
  name: "ca.noRotationInProgress",
  summary: "All nodes trust the same CAs, so no CA rotation is unfinished",
  scope: "cluster",
  input: { group: groupField },
  async run(context, input) {
    const nodes = await readGroup(context, input);
    const problems = await Promise.all(
      kinds.map((kind) => disagreements(context, nodes, kind)),
    );
    // Report a node that does not answer once, not once for each CA.
    const all = [...new Set(problems.flat())];
    return unless(all, `${formatCount(nodes.length, "node")} agree`);
  },
};

async function disagreements(
  context: CheckContext,
  nodes: readonly string[],
  kind: CaKind,
): Promise<readonly string[]> {
  const { values, problems } = await askAll(
    context,
    nodes,
    (client) => takeTrust(client, kind),
  );
  const issuers = new Set(
    [...values.values()].flatMap(({ issuing }) => issuing?.fingerprint ?? []),
  );
  const lists = new Set([...values.values()].map(listKnown));
  return [
    ...problems,
    ...issuers.size > 1 ? [`nodes differ in ${titles[kind]}`] : [],
    ...issuers.size <= 1 && lists.size > 1
      ? [`nodes accept different CAs in addition to ${titles[kind]}`]
      : [],
  ];
}

function listKnown({ issuing, accepted }: TrustList): string {
  const all = [...accepted, ...issuing === undefined ? [] : [issuing]];
  return all.map(({ fingerprint }) => fingerprint).toSorted().join(" ");
}

/** `os` has an older alias. */
function kindIn(value: Json | undefined): CaKind {
  if (value === "os" || value === "talos") return "os";
  if (value === "kubernetes") return value;
  throw new UsageError(`Unknown kind of CA "${value}"`, {
    hint: "Known kinds: os, kubernetes",
  });
}
