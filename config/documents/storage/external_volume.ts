import { choice, openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, flag, nameField, struct } from "../shapes.ts";
import { disableAccessTime, secure } from "./maintenance.ts";
import { partitionNameRules } from "./provisioning.ts";

/** `ExternalVolumeConfig`. */
export const externalVolume: DocumentKind = {
  kind: "ExternalVolumeConfig",
  summary: "An external volume, mounted at /var/mnt/<name>",
  named: true,
  since: "1.13",
  fields: {
    name: nameField("Name of the volume", "shared"),
    filesystemType: field(
      choice(["none", "virtiofs"], { insensitive: true }),
      "File system type",
      { always: true, example: "virtiofs" },
    ),
    mount: field(
      struct({
        readOnly: flag("Mounts the volume read-only"),
        disableAccessTime,
        secure,
        virtiofs: field(
          struct({
            tag: field(openText, "Tag of the virtiofs share", {
              always: true,
              required: true,
              example: "data",
            }),
          }),
          "Virtiofs settings",
          { optional: true },
        ),
      }),
      "Mount options",
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
        `File system "${
          type.text() ?? ""
        }" is not supported for external volumes`,
        'Write "virtiofs"',
      );
      return;
    }
    const virtiofs = document.get("mount", "virtiofs");
    if (virtiofs.node === undefined) {
      yield virtiofs.error(
        '"virtiofs" is missing',
        "Give the tag of the virtiofs share",
      );
    }
  },
};
