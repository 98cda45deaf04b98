import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { findRelease } from "../../releases.ts";
import { documentKind } from "../table.ts";

const { installer } = findRelease("1.14");

export const unattendedInstall = documentKind(
  unattendedInstallRules,
)`
UnattendedInstallConfig | since 1.14 | Unattended installation: image and disk
  = {"installer": {"image": "${installer}"},
    "provisioning": {"diskSelector": {"match": "disk.dev_path == \"/dev/sda\""}, "wipe": false}}
  reboot         | boolean, optional, default true with an image | Reboots after the installation
  installer      | struct, always | Installer settings
    image        | text | Installer image | "${installer}"
  provisioning   | struct, always, required | Provisioning settings
    diskSelector | struct, required | Selects the installation disk
      match      | cel(disk), required, overwrite | CEL expression that selects the disk; variable: \`disk\`
        = "disk.dev_path == \"/dev/sda\""
    wipe         | boolean, optional, default true | Wipes the disk before installing
`;

function* unattendedInstallRules(document: Cursor): Iterable<Problem> {
  const given = document.get("installer", "image");
  if ((given.text() ?? "") === "") {
    yield given.warning(
      "No installer image is given",
      "Give one, unless the node boots an Image Factory image",
    );
  }
}
