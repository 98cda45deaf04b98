import type { CaKind } from "../ca/trust_list.ts";
import { domain } from "../../talos.ts";
import type { ValueField } from "../runbook_cel/field.ts";
import { type ModuleInput, readChoice } from "../runbook_cel/values.ts";

/** Vendor's alias of the OS CA; may appear in files. */
const osAlias: string = domain.split(".")[0] ?? "";

/** Input that selects the CA. */
export const kindField: ValueField = {
  type: "enum",
  values: ["os", "kubernetes", osAlias],
  required: true,
  summary: "Which CA: that of the node API, or that of Kubernetes",
};

/** Reads the selected CA. */
export function readKind(values: ModuleInput): CaKind {
  const kind = readChoice(values, "kind", ["os", "kubernetes", osAlias]);
  return kind === "kubernetes" ? kind : "os";
}
