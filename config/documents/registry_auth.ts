/** How the node signs in to a registry. */

import type { Cursor } from "./cursor.ts";
import type { Problem } from "./problem.ts";
import { openText, string } from "./scalars/scalars.ts";
import type { DocumentKind } from "./schema.ts";
import { field, nameField } from "./shapes.ts";

/** `RegistryAuthConfig`. */
export const registryAuth: DocumentKind = {
  kind: "RegistryAuthConfig",
  summary: "How the node signs in to a registry",
  named: true,
  since: "1.12",
  fields: {
    name: nameField(
      "Host of the registry or of its mirror",
      "registry.example.org",
    ),
    username: field(openText, "Name of the user", { example: "puller" }),
    password: field(string, "Password of the user", { secret: true }),
    auth: field(
      string,
      "Name and password with a colon between them, in base64",
      { secret: true },
    ),
    identityToken: field(string, "Token that stands for the user", {
      secret: true,
    }),
  },
  examples: [
    {
      title: "User and password",
      value: {
        name: "registry.example.org",
        username: "puller",
        password: "correct horse",
      },
    },
    {
      title: "Both in one, as client configurations have them",
      value: {
        name: "registry.example.org",
        auth: "cHVsbGVyOmNvcnJlY3QgaG9yc2U=",
      },
    },
  ],
  rules,
};

function* rules(document: Cursor): Iterable<Problem> {
  const given = ["username", "auth", "identityToken"].filter((key) =>
    (document.get(key).text() ?? "") !== ""
  );
  const [first, ...others] = given;
  for (const key of others) {
    yield document.get(key).error(
      `"${key}" is given although "${first}" is`,
      "Sign in one way only",
    );
  }
}
