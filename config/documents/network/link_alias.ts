import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { documentKind } from "../table.ts";

export const linkAlias = documentKind(linkAliasRules)`
LinkAliasConfig | named, since 1.12 | Alias for a link, selected by a CEL expression
  = {"name": "net0", "selector": {"match": "mac(link.permanent_addr) == \"00:1a:2b:3c:4d:5e\""}}
  name     | text, always | The alias; other documents can use it as a link name | "net0"
  selector | struct, required | Selects the link
    match  | cel(link), required, overwrite | CEL expression that matches exactly one link; the variable is \`link\`
      = By hardware address | "mac(link.permanent_addr) == \"00:1a:2b:3c:4d:5e\""
      = By driver and bus | "link.driver == \"virtio_net\" && glob(\"0000:0[12]:*\", link.bus_path)"
`;

function* linkAliasRules(document: Cursor): Iterable<Problem> {
  const given = document.get("name");
  const text = given.text() ?? "";
  if (!text.includes("%") || /^[^%]+%d$/.test(text)) return;
  yield given.error(
    `Name "${text}" is not a pattern`,
    "End it with %d for a number, such as net%d",
  );
}
