/** Installation without a person. */

import { boolean, expression, openText } from "./scalars/scalars.ts";
import type { DocumentKind } from "./schema.ts";
import { field, flag, struct } from "./shapes.ts";
import { releases } from "../images.ts";

const image = releases["1.14"].installer;

/** `UnattendedInstallConfig`. */
export const unattendedInstall: DocumentKind = {
  kind: "UnattendedInstallConfig",
  summary: "From which image and on which disk the system installs itself",
  named: false,
  since: "1.14",
  fields: {
    reboot: field(boolean, "Whether the node reboots afterwards", {
      optional: true,
      initial: "true with an image",
    }),
    installer: field(
      struct({
        image: field(openText, "Image of the installer", { example: image }),
      }),
      "What is installed",
      { always: true },
    ),
    provisioning: field(
      struct({
        diskSelector: field(
          struct({
            match: field(
              expression("disk"),
              "CEL expression that is true for one disk, called `disk`",
              {
                required: true,
                merge: "overwrite",
                example: 'disk.dev_path == "/dev/sda"',
              },
            ),
          }),
          "Which disk it is installed on",
          { required: true },
        ),
        wipe: flag("The disk is wiped before", "true"),
      }),
      "Where it is installed",
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
        "Give one, unless the node boots from an image of the factory",
      );
    }
  },
};
