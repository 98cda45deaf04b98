import type { CaKind } from "../ca/trust_list.ts";
import type { ValueField } from "../runbook_cel/field.ts";
import { type ModuleInput, readChoice } from "../runbook_cel/values.ts";

/** Kinds; `talos` is another name of `os`, which files may have. */
const kinds = ["os", "kubernetes", "talos"] as const;

/** Input that selects the CA. */
export const kindField: ValueField = {
  type: "enum",
  values: kinds,
  required: true,
  summary: "CA: os (node API) or kubernetes",
};

export function readKind(values: ModuleInput): CaKind {
  const kind = readChoice(values, "kind", kinds);
  return kind === "kubernetes" ? kind : "os";
}
