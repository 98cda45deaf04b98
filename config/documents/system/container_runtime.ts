import { string } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, flag, free, nameField, struct } from "../shapes.ts";
import { isLabelKey } from "../../rules/labels.ts";
import { runtimeSpecProblems } from "../../rules/process_settings.ts";

const limits = {
  process: { rlimits: [{ type: "RLIMIT_NOFILE", hard: 1024, soft: 1024 }] },
} as const;

/** `CRIBaseRuntimeSpecConfig`. */
export const criBaseRuntimeSpec: DocumentKind = {
  kind: "CRIBaseRuntimeSpecConfig",
  summary: "Overrides of the base OCI runtime spec",
  named: false,
  since: "1.14",
  fields: {
    overrides: field(free, "Overrides, in the format of the OCI runtime spec", {
      merge: "replace",
      example: limits,
    }),
  },
  examples: [{ value: { overrides: limits } }],
  rules: (document) => runtimeSpecProblems(document.get("overrides")),
};

/** `CRICustomizationConfig`. */
export const criCustomization: DocumentKind = {
  kind: "CRICustomizationConfig",
  summary: "Customization of the containerd configuration",
  named: true,
  since: "1.14",
  fields: {
    name: nameField(
      "Name; customizations are merged in order of their names",
      "gpu",
    ),
    content: field(string, "Configuration of containerd, TOML", {
      always: true,
    }),
  },
  examples: [{
    value: {
      name: "metrics",
      content: '[metrics]\n  address = "0.0.0.0:11234"\n',
    },
  }],
  *rules(document) {
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
  },
};

/** `ImageCacheConfig`. */
export const imageCache: DocumentKind = {
  kind: "ImageCacheConfig",
  summary: "Image cache",
  named: false,
  since: "1.14",
  fields: {
    local: field(
      struct({
        enabled: flag("Enables the local image cache"),
      }),
      "Local image cache",
      { always: true },
    ),
  },
  examples: [{ value: { local: { enabled: true } } }],
};
