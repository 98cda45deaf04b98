import { boolean, expression, openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, flag, struct } from "../shapes.ts";
import { releases } from "../../images.ts";

const image = releases["1.14"].installer;

/** `UnattendedInstallConfig`. */
export const unattendedInstall: DocumentKind = {
  kind: "UnattendedInstallConfig",
  summary: "Unattended installation: image and disk",
  named: false,
  since: "1.14",
  fields: {
    reboot: field(boolean, "Reboots after the installation", {
      optional: true,
      initial: "true with an image",
    }),
    installer: field(
      struct({
        image: field(openText, "Installer image", { example: image }),
      }),
      "Installer settings",
      { always: true },
    ),
    provisioning: field(
      struct({
        diskSelector: field(
          struct({
            match: field(
              expression("disk"),
              "CEL expression that selects the disk; variable: `disk`",
              {
                required: true,
                merge: "overwrite",
                example: 'disk.dev_path == "/dev/sda"',
              },
            ),
          }),
          "Selects the installation disk",
          { required: true },
        ),
        wipe: flag("Wipes the disk before installing", "true"),
      }),
      "Provisioning settings",
      { always: true, required: true },
    ),
  },
  examples: [{
    value: {
      installer: { image },
      provisioning: {
        diskSelector: { match: 'disk.dev_path == "/dev/sda"' },
        wipe: false,
      },
    },
  }],
  *rules(document) {
    const given = document.get("installer", "image");
    if ((given.text() ?? "") === "") {
      yield given.warning(
        "No installer image is given",
        "Give one, unless the node boots an Image Factory image",
      );
    }
  },
};
