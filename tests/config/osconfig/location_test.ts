import assert from "node:assert/strict";
import { legacyEnvironment, serviceAccountConfigPath } from "../../../talos.ts";
import { ConfigError } from "../../../errors.ts";
import {
  homeDirectory,
  locateKeys,
  locateOperations,
  locateOsconfig,
  locateRunbookPolicies,
  locateRunLocks,
  locateRuns,
  locateTrust,
  osconfigPlaces,
} from "../../../config/osconfig/location.ts";

interface Scene {
  readonly env?: Record<string, string>;
  readonly files?: readonly string[];
}

function locate(explicit: string | undefined, { env = {}, files = [] }: Scene) {
  return locateOsconfig(explicit, {
    env: (name) => env[name],
    exists: (path) => Promise.resolve(files.includes(path)),
  });
}

const { OSCONFIG, OS_HOME, OSV1_KEYS_DIR } = legacyEnvironment;

const cases: Record<string, [string | undefined, Scene, string]> = {
  "the path given wins, whether it exists or not": [
    "here",
    { env: { OSCONFIG: "/e", HOME: "/h" }, files: ["/e", "/h/.os/config"] },
    "here",
  ],
  "a path given empty is none": ["", { env: { OSCONFIG: "/e" } }, "/e"],
  "$OSCONFIG wins over the home directory, whether it exists or not": [
    undefined,
    { env: { OSCONFIG: "/e", HOME: "/h" }, files: ["/h/.os/config"] },
    "/e",
  ],
  "our variable wins over that of talosctl": [
    undefined,
    { env: { OSCONFIG: "/e", [OSCONFIG]: "/p" } },
    "/e",
  ],
  "the variable of talosctl counts when ours is empty": [
    undefined,
    { env: { OSCONFIG: "", [OSCONFIG]: "/p", HOME: "/h" } },
    "/p",
  ],
  "the home directory is next": [
    undefined,
    { env: { HOME: "/h" }, files: ["/h/.os/config"] },
    "/h/.os/config",
  ],
  "talosctl's file in the home directory is next": [
    undefined,
    { env: { HOME: "/h/" }, files: ["/h/.talos/config"] },
    "/h/.talos/config",
  ],
  "our file wins over that of talosctl": [
    undefined,
    { env: { HOME: "/h" }, files: ["/h/.os/config", "/h/.talos/config"] },
    "/h/.os/config",
  ],
  "with $OS_HOME talosctl's file does not count": [
    undefined,
    { env: { HOME: "/h", OS_HOME: "/o" }, files: ["/h/.talos/config"] },
    "/o/config",
  ],
  "$OS_HOME takes the place of .os": [
    undefined,
    { env: { HOME: "/h", OS_HOME: "/o/" }, files: ["/h/.os/config"] },
    "/o/config",
  ],
  "talosctl's variable for the home directory counts too": [
    undefined,
    { env: { HOME: "/h", [OS_HOME]: "/p" } },
    "/p/config",
  ],
  "a relative $OS_HOME is ignored": [
    undefined,
    { env: { HOME: "/h", OS_HOME: "o" } },
    "/h/.os/config",
  ],
  "without any file it is the one in the home directory": [
    undefined,
    { env: { HOME: "/h" } },
    "/h/.os/config",
  ],
};

for (const [what, [explicit, scene, path]] of Object.entries(cases)) {
  Deno.test(`osconfig: ${what}`, async () => {
    assert.deepEqual(await locate(explicit, scene), { path, writable: true });
  });
}

Deno.test("osconfigPlaces names every place, unless one was given", () => {
  const places = (given: string | undefined, vars: Record<string, string>) =>
    osconfigPlaces(given, (name) => vars[name]);
  const pod = serviceAccountConfigPath;
  assert.deepEqual(places(undefined, { HOME: "/h" }), [
    "$OSCONFIG",
    "$TALOSCONFIG",
    "/h/.os/config",
    "/h/.talos/config",
    pod,
  ]);
  assert.deepEqual(places(undefined, { HOME: "/h", OS_HOME: "/o" }), [
    "$OSCONFIG",
    "$TALOSCONFIG",
    "/o/config",
    pod,
  ]);
  assert.deepEqual(places("a", { HOME: "/h" }), []);
  assert.deepEqual(places(undefined, { TALOSCONFIG: "/e" }), []);
});

Deno.test("osconfig: a pod's own file comes last and is read-only", async () => {
  const files = [serviceAccountConfigPath];
  const found = { path: serviceAccountConfigPath, writable: false };
  assert.deepEqual(await locate(undefined, { files }), found);
  assert.deepEqual(
    await locate(undefined, { env: { HOME: "/h" }, files }),
    found,
  );
  const both = [...files, "/h/.os/config"];
  const { path } = await locate(undefined, {
    env: { HOME: "/h" },
    files: both,
  });
  assert.equal(path, "/h/.os/config");
});

Deno.test("osconfig: without a home directory there is an error with a way out", async () => {
  await assert.rejects(locate(undefined, {}), (error) => {
    assert.equal(error instanceof ConfigError, true);
    const { message, hint } = error as ConfigError;
    assert.equal(
      message,
      'Cannot determine the path of "osconfig": HOME is not set',
    );
    assert.equal(hint, "Set HOME or OS_HOME, or give the path");
    return true;
  });
});

Deno.test("keys: the directory given, then the variable, then the home directory", () => {
  const env: Record<string, string> = { HOME: "/h" };
  const lookup = (name: string) => env[name];
  assert.equal(locateKeys(undefined, lookup), "/h/.os/keys");
  env[OSV1_KEYS_DIR] = "/p";
  assert.equal(locateKeys(undefined, lookup), "/p");
  env.OSV1_KEYS_DIR = "/e";
  assert.equal(locateKeys(undefined, lookup), "/e");
  assert.equal(locateKeys("given", lookup), "given");
});

Deno.test("journals of operations are in the home directory, and nowhere without one", () => {
  assert.equal(locateOperations(() => "/h"), "/h/operations");
  assert.throws(() => locateOperations(() => undefined), {
    message: 'Cannot determine the path of "operations": HOME is not set',
  });
});

Deno.test("runs and their locks are kept beside the client configuration", () => {
  const env = (name: string) => name === "OS_HOME" ? "/h" : undefined;
  assert.equal(locateRuns(env), "/h/runs");
  assert.equal(locateRunLocks(env), "/h/locks");
  assert.throws(() => locateRuns(() => undefined), {
    message: 'Cannot determine the path of "runs": HOME is not set',
  });
  assert.throws(() => locateRunLocks(() => undefined), {
    message: 'Cannot determine the path of "locks": HOME is not set',
  });
});

Deno.test("trust is kept in the home directory, and rules for it there and for the machine", () => {
  const env = (name: string) => name === "HOME" ? "/h" : undefined;
  assert.equal(locateTrust(env), "/h/.os/trusted-runbooks.json");
  assert.deepEqual(locateRunbookPolicies(env), [
    "/etc/osctl/runbook-policy.yaml",
    "/h/.os/runbook-policy.yaml",
  ]);
  assert.throws(() => locateTrust(() => undefined), {
    message:
      'Cannot determine the path of "trusted-runbooks.json": HOME is not set',
  });
  assert.deepEqual(locateRunbookPolicies(() => undefined), [
    "/etc/osctl/runbook-policy.yaml",
  ]);
});

Deno.test("the home directory on Windows is that of the profile", () => {
  const env: Record<string, string> = { USERPROFILE: "C:\\Users\\me" };
  assert.equal(homeDirectory((name) => env[name]), "C:\\Users\\me/.os");
  env.OS_HOME = "D:\\os";
  assert.equal(homeDirectory((name) => env[name]), "D:\\os");
});
