/** Volumes that come from outside the machine. */

import { choice, openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, flag, nameField, struct } from "../shapes.ts";
import { disableAccessTime, secure } from "./maintenance.ts";
import { partitionNameRules } from "./provisioning.ts";

/** `ExternalVolumeConfig`. */
export const externalVolume: DocumentKind = {
  kind: "ExternalVolumeConfig",
  summary: "A volume of the hypervisor, mounted below /var/mnt",
  named: true,
  since: "1.13",
  fields: {
    name: nameField("Name of the folder it is mounted at", "shared"),
    filesystemType: field(
      choice(["none", "virtiofs"], { insensitive: true }),
      "Kind of file system",
      { always: true, example: "virtiofs" },
    ),
    mount: field(
      struct({
        readOnly: flag("It is mounted for reading only"),
        disableAccessTime,
        secure,
        virtiofs: field(
          struct({
            tag: field(openText, "Name the hypervisor gives the volume", {
              always: true,
              required: true,
              example: "data",
            }),
          }),
          "Which volume of the hypervisor is meant",
          { optional: true },
        ),
      }),
      "How the volume is mounted",
    ),
  },
  examples: [{
    value: {
      name: "shared",
      filesystemType: "virtiofs",
      mount: { readOnly: true, virtiofs: { tag: "data" } },
    },
  }],
  *rules(document) {
    yield* partitionNameRules(document);
    const type = document.get("filesystemType");
    if (type.text()?.toLowerCase() !== "virtiofs") {
      yield type.error(
        `File system "${type.text() ?? ""}" cannot come from outside`,
        'Write "virtiofs"',
      );
      return;
    }
    const virtiofs = document.get("mount", "virtiofs");
    if (virtiofs.node === undefined) {
      yield virtiofs.error(
        '"virtiofs" is missing',
        "Give the tag of the volume",
      );
    }
  },
};
