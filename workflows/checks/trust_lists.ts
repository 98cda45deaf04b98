/** Whom nodes trust, as their configurations say. */

import { systemName } from "../../dialect.ts";
import { UsageError } from "../../errors.ts";
import { readMachineConfiguration } from "../../transport/node/machine_configuration.ts";
import { type CaKind, readTrust, type TrustList } from "../ca/trust_list.ts";
import type { Json } from "../operations/operation.ts";
import type { Field } from "../runbooks/field.ts";
import type { CheckSite } from "./check.ts";
import { type Answers, askAll } from "./finding.ts";

/** Which authority a check is about; `os` has an older name. */
export const kindField: Field = {
  type: "string",
  summary: "Which authority: os, the one of the nodes' API, or kubernetes",
  required: true,
};

/**
 * Reads the kind of an authority.
 *
 * @throws {UsageError} If it is none.
 */
export function kindIn(value: Json | undefined): CaKind {
  if (value === "os" || value === systemName) return "os";
  if (value === "kubernetes") return value;
  throw new UsageError(`There is no authority of the kind "${value}"`, {
    hint: "Kinds are os and kubernetes",
  });
}

/**
 * Reads the trust lists of nodes.
 *
 * @param site The cluster.
 * @param nodes Which.
 * @param kind Which authority.
 */
export function trustOf(
  site: Pick<CheckSite, "cluster" | "signal">,
  nodes: readonly string[],
  kind: CaKind,
): Promise<Answers<TrustList>> {
  return askAll(
    site,
    nodes,
    async (client) => readTrust(await readMachineConfiguration(client), kind),
  );
}
