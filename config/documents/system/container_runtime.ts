import { isLabelKey } from "../../rules/labels.ts";
import { runtimeSpecProblems } from "../../rules/process_settings.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { documentKind } from "../table.ts";

export const criBaseRuntimeSpec = documentKind(
  criBaseRuntimeSpecRules,
)`
CRIBaseRuntimeSpecConfig | since 1.14 | Overrides of the base OCI runtime spec
  = {"overrides": {"process": {"rlimits": [{"type": "RLIMIT_NOFILE", "hard": 1024, "soft": 1024}]}}}
  overrides | free, replace | Overrides, in the format of the OCI runtime spec
    = {"process": {"rlimits": [{"type": "RLIMIT_NOFILE", "hard": 1024, "soft": 1024}]}}
`;

function criBaseRuntimeSpecRules(document: Cursor): Iterable<Problem> {
  return runtimeSpecProblems(document.get("overrides"));
}

export const criCustomization = documentKind(
  criCustomizationRules,
)`
CRICustomizationConfig | named, since 1.14 | Customization of the containerd configuration
  = {"name": "metrics", "content": "[metrics]\n  address = \"0.0.0.0:11234\"\n"}
  name    | text, always | Name; customizations are merged in order of their names | "gpu"
  content | string, always | Configuration of containerd, TOML
`;

function* criCustomizationRules(document: Cursor): Iterable<Problem> {
  const given = document.get("name");
  const text = given.text() ?? "";
  if (text === "customization") {
    yield given.error(
      `Name "${text}" is reserved: older versions write a file of this name`,
      "Choose another name",
    );
  } else if (text !== "" && !isLabelKey(text)) {
    yield given.error(
      `Name "${text}" is not valid`,
      "Use at most 63 letters, digits, hyphens, underscores and dots",
    );
  }
}

export const imageCache = documentKind()`
ImageCacheConfig | since 1.14 | Image cache
  = {"local": {"enabled": true}}
  local     | struct, always | Local image cache
    enabled | boolean, optional, default false | Enables the local image cache
`;
