import { partitionNameRules } from "./provisioning.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { documentKind } from "../table.ts";

export const externalVolume = documentKind(externalVolumeRules)`
ExternalVolumeConfig | named, since 1.13 | An external volume, mounted at /var/mnt/<name>
  = {"name": "shared", "filesystemType": "virtiofs", "mount": {"readOnly": true, "virtiofs": {"tag": "data"}}}
  name                | text, always | Name of the volume | "shared"
  filesystemType      | choice(none virtiofs), always | File system type | "virtiofs"
  mount               | struct | Mount options
    readOnly          | boolean, optional, default false | Mounts the volume read-only
    disableAccessTime | boolean, optional, default false | Disables access time updates
    secure            | boolean, optional, default true | Mounts with nosuid, nodev and noexec
    virtiofs          | struct, optional | Virtiofs settings
      tag             | text, always, required | Tag of the virtiofs share | "data"
`;

function* externalVolumeRules(document: Cursor): Iterable<Problem> {
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
}
