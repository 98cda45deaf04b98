/** Where the kernel's log is sent. */

import type { Cursor } from "./cursor.ts";
import type { Problem } from "./problem.ts";
import { url } from "./scalars/scalars.ts";
import type { DocumentKind } from "./schema.ts";
import { parseUrl } from "./checks.ts";
import { field, nameField } from "./shapes.ts";

/** `KmsgLogConfig`. */
export const kmsgLog: DocumentKind = {
  kind: "KmsgLogConfig",
  summary: "Receiver of the kernel's log",
  named: true,
  fields: {
    name: nameField("Name of the receiver, of any choice", "collector"),
    url: field(url, "Protocol, host and port", {
      always: true,
      required: true,
      example: "tcp://10.0.0.10:4000",
    }),
  },
  examples: [{
    value: { name: "collector", url: "udp://logs.example.org:4000" },
  }],
  rules,
};

function* rules(document: Cursor): Iterable<Problem> {
  const given = document.get("url");
  const text = given.text() ?? "";
  const parts = parseUrl(text);
  if (text === "" || parts === undefined) return;
  if (parts.scheme !== "tcp" && parts.scheme !== "udp") {
    yield given.error(
      `URL "${text}" does not begin with tcp:// or udp://`,
      "Write tcp://host:port or udp://host:port",
    );
  }
  if (parts.path !== "" && parts.path !== "/") {
    yield given.error(
      `URL "${text}" has the path "${parts.path}"`,
      "End it with the port",
    );
  }
  if (parts.port === "") {
    yield given.error(`URL "${text}" has no port`, "Write it behind the host");
  }
}
