/** `machine.registries`. */

import { base64, openText, string } from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import {
  certificateAndKey,
  field,
  flag,
  list,
  map,
  struct,
} from "../shapes.ts";

const mirror: StructShape = struct({
  endpoints: field(
    list(openText),
    "URLs that are asked in turn instead of the registry",
    { always: true },
  ),
  overridePath: flag("The URLs hold the whole path, so none is added"),
  skipFallback: {
    ...flag("The registry itself is not asked when all mirrors fail"),
    since: "1.9",
  },
});

const tls: StructShape = struct({
  clientIdentity: field(
    certificateAndKey,
    "Certificate the node shows to the registry",
    { optional: true },
  ),
  ca: field(
    base64,
    "Authorities trusted besides the known ones, PEM in base64",
    { merge: "replace" },
  ),
  insecureSkipVerify: flag("Any certificate of the registry is accepted"),
});

const auth: StructShape = struct({
  username: field(openText, "User at the registry"),
  password: field(string, "Password of that user", { secret: true }),
  auth: field(string, "User and password, joined by a colon, in base64", {
    secret: true,
  }),
  identityToken: field(string, "Token that stands for a user and a password", {
    secret: true,
  }),
});

const registry: StructShape = struct({
  tls: field(tls, "How the connection is secured", { optional: true }),
  auth: field(auth, "Who the node is for the registry", { optional: true }),
});

/** Where images come from; documents of their own have taken over. */
export const registries: StructShape = struct({
  mirrors: field(
    map(mirror),
    "Mirrors by the host name of the registry they stand for",
  ),
  config: field(
    map(registry),
    "Security and passwords by the host name of the registry",
  ),
});
