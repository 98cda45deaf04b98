import assert from "node:assert/strict";
import { ConfigError } from "../../../errors.ts";
import { clientIdentity } from "../../../config/osconfig/client_identity.ts";

const pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const encoded =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkFBQUEKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=";
const bare = { name: "lab", endpoints: [], nodes: [] };

function refuses(context: Record<string, string>, message: string): void {
  assert.throws(() => clientIdentity({ ...bare, ...context }), (error) => {
    assert.equal(error instanceof ConfigError, true);
    assert.equal((error as ConfigError).message, message);
    return true;
  });
}

Deno.test("CA, certificate and key are decoded", () => {
  const context = { ...bare, ca: encoded, crt: encoded, key: encoded };
  assert.deepEqual(clientIdentity(context), {
    ca: pem,
    pair: { crt: pem, key: pem },
  });
});

Deno.test("half a pair is refused by what is missing", () => {
  refuses(
    { crt: encoded },
    'Cannot use context "lab": it has "crt" but no "key"',
  );
  refuses(
    { key: encoded },
    'Cannot use context "lab": it has "key" but no "crt"',
  );
});

Deno.test("clientIdentity: refuses fields that are not base64 or PEM, by name", () => {
  refuses({ ca: "?" }, 'Cannot use context "lab": its "ca" is not base64');
  refuses({ crt: "AAAA" }, 'Cannot use context "lab": its "crt" is not PEM');
});
