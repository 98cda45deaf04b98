/** Configuration of extension services. */

import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { documentKind } from "../table.ts";

export const extensionService = documentKind(rules)`
ExtensionServiceConfig | named | Files and environment for an extension service
  = {"name": "nut-client", "configFiles": [{"content": "MONITOR ups@10.0.0.10 1 user pass slave\n",
    "mountPath": "/usr/local/etc/nut/upsmon.conf"}], "environment": ["UPS_NAME=ups"]}
  name        | text, always | Name of the extension service, without the ext- prefix | "nut-client"
  configFiles | list(struct), key mountPath | Files mounted into the service's container
    content   | string, always, required | Contents of the file | "MONITOR ups@10.0.0.10 1 user pass slave"
    mountPath | text, always, required | Path of the file in the service's container
      = "/usr/local/etc/nut/upsmon.conf"
  environment | list(assignment) | Environment variables, as NAME=value | ["UPS_NAME=ups"]
`;

function* rules(document: Cursor): Iterable<Problem> {
  const parts = ["configFiles", "environment"];
  if (parts.every((key) => document.get(key).items().length === 0)) {
    yield document.error(
      'Neither "configFiles" nor "environment" is given',
      "Give at least one of them",
    );
  }
}
