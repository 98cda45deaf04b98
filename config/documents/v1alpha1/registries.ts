/** `machine.registries`. */

import { base64, openText, string } from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import { certificateAndKey, list, map, struct } from "../shapes.ts";
import { flag } from "./flag.ts";

const mirror: StructShape = struct({
  endpoints: {
    shape: list(openText),
    always: true,
    summary: "URLs that are asked in turn instead of the registry",
  },
  overridePath: flag("The URLs hold the whole path, so none is added"),
  skipFallback: {
    ...flag("The registry itself is not asked when all mirrors fail"),
    since: "1.9",
  },
});

const tls: StructShape = struct({
  clientIdentity: {
    shape: certificateAndKey,
    optional: true,
    summary: "Certificate the node shows to the registry",
  },
  ca: {
    shape: base64,
    merge: "replace",
    summary: "Authorities trusted besides the known ones, PEM in base64",
  },
  insecureSkipVerify: flag("Any certificate of the registry is accepted"),
});

const auth: StructShape = struct({
  username: { shape: openText, summary: "User at the registry" },
  password: {
    shape: string,
    summary: "Password of that user",
    secret: true,
  },
  auth: {
    shape: string,
    summary: "User and password, joined by a colon, in base64",
    secret: true,
  },
  identityToken: {
    shape: string,
    summary: "Token that stands for a user and a password",
    secret: true,
  },
});

const registry: StructShape = struct({
  tls: {
    shape: tls,
    optional: true,
    summary: "How the connection is secured",
  },
  auth: {
    shape: auth,
    optional: true,
    summary: "Who the node is for the registry",
  },
});

/** Where images come from; documents of their own have taken over. */
export const registries: StructShape = struct({
  mirrors: {
    shape: map(mirror),
    summary: "Mirrors by the host name of the registry they stand for",
  },
  config: {
    shape: map(registry),
    summary: "Security and passwords by the host name of the registry",
  },
});
