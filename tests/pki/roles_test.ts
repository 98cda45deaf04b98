import assert from "node:assert/strict";
import { parseRoles, readRoles, splitRoles } from "../../pki/roles.ts";
import { assertConfigError } from "./_errors.ts";
import { client } from "./_identity.ts";

Deno.test("parseRoles knows every role", () => {
  const all = [
    "os:admin",
    "os:etcd:backup",
    "os:impersonator",
    "os:operator",
    "os:reader",
  ];
  assert.deepEqual(parseRoles(all), all);
});

Deno.test("parseRoles of nothing is nothing", () => {
  assert.deepEqual(parseRoles([]), []);
});

Deno.test("parseRoles names every unknown role", () => {
  assertConfigError(
    () => parseRoles(["os:root", "os:admin", "admin", "os:root"]),
    'Unknown roles "admin", "os:root"',
  );
});

Deno.test("splitRoles keeps what is not a role apart", () => {
  assert.deepEqual(splitRoles(["x", "os:admin"]), {
    known: ["os:admin"],
    unknown: ["x"],
  });
});

Deno.test("readRoles reads the roles in a certificate", async () => {
  const { crt } = await client();
  assert.deepEqual(readRoles(crt), ["os:admin"]);
});
