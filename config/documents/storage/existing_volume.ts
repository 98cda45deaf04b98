import { boolean, expression } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, nameField, struct } from "../shapes.ts";
import {
  disableAccessTime,
  maintenance,
  maintenanceRules,
  secure,
} from "./maintenance.ts";
import { volumeNameRules } from "./provisioning.ts";

/** `ExistingVolumeConfig`. */
export const existingVolume: DocumentKind = {
  kind: "ExistingVolumeConfig",
  summary: "An existing volume, mounted at /var/mnt/<name>",
  named: true,
  since: "1.11",
  group: "volumes",
  fields: {
    name: nameField("Name of the volume and its mount point", "archive"),
    discovery: field(
      struct({
        volumeSelector: field(
          struct({
            match: field(
              expression("volume"),
              "CEL expression that matches the volume; the variable is `volume`",
              {
                required: true,
                merge: "overwrite",
                example: 'volume.partition_label == "ARCHIVE"',
              },
            ),
          }),
          "Selects the volume",
          { required: true },
        ),
      }),
      "How to find the volume",
      { required: true },
    ),
    mount: field(
      struct({
        readOnly: field(boolean, "Whether to mount the volume read-only", {
          optional: true,
          initial: "false",
        }),
        disableAccessTime: { ...disableAccessTime, since: "1.13" },
        secure: { ...secure, since: "1.13" },
      }),
      "Mount options",
    ),
    ...maintenance,
  },
  examples: [{
    value: {
      name: "archive",
      discovery: {
        volumeSelector: {
          match: 'volume.partition_label == "ARCHIVE" && !disk.rotational',
        },
      },
      mount: { readOnly: true },
    },
  }],
  *rules(document) {
    yield* volumeNameRules(document);
    yield* maintenanceRules(document);
  },
};
