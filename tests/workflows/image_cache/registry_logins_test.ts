import assert from "node:assert/strict";
import { OsctlError, UsageError } from "../../../errors.ts";
import {
  dockerLogins,
  type FindLogin,
} from "../../../workflows/image_cache/registry_logins.ts";
import { withFolder } from "../../_folder.ts";

/** Logins of a configuration, with helpers that print what their names say. */
async function withLogins(
  config: unknown,
  helpers: Readonly<Record<string, string>>,
  test: (login: FindLogin, path: string) => Promise<void>,
): Promise<void> {
  const scripts = Object.entries(helpers).map(([name, script]) =>
    [`docker-credential-${name}`, `#!/bin/sh\n${script}\n`] as const
  );
  const content = typeof config === "string" ? config : JSON.stringify(config);
  const files = { "config.json": content, ...Object.fromEntries(scripts) };
  await withFolder(files, async (folder) => {
    for (const [name] of scripts) await Deno.chmod(`${folder}/${name}`, 0o755);
    const path = `${folder}/config.json`;
    const { signal } = new AbortController();
    const programs = `${folder}:${Deno.env.get("PATH")}`;
    await test(await dockerLogins({ path, programs, signal }), path);
  });
}

/** Answers with the host as the name, if it is asked for a login. */
const answering =
  `read host; printf '{"Username":"%s","Secret":"%s"}' "$host" "$1"`;

Deno.test("logins are those of the configuration, of the helper of a host, or of the helper for all", async () => {
  const config = {
    auths: {
      "one.test": { auth: "b25l" },
      "token.test": { identitytoken: "t1" },
      "https://index.docker.io/v1/": {},
    },
    credHelpers: { "two.test": "two" },
    credsStore: "all",
  };
  const helpers = {
    two: answering,
    all:
      `read host; case $host in store*) printf '{"Username":"<token>","Secret":"t2"}';; https:*) printf '{"Username":"hub","Secret":"p"}';; *) echo credentials not found in native keychain; exit 1;; esac`,
  };
  await withLogins(config, helpers, async (login) => {
    const basic = (text: string) => ({ kind: "basic", basic: btoa(text) });
    assert.deepEqual(await login("one.test"), basic("one"));
    assert.deepEqual(await login("two.test"), basic("two.test:get"));
    assert.deepEqual(await login("token.test"), {
      kind: "refresh-token",
      token: "t1",
    });
    assert.deepEqual(await login("store.test"), {
      kind: "refresh-token",
      token: "t2",
    });
    assert.deepEqual(await login("registry-1.docker.io"), basic("hub:p"));
    assert.equal(await login("else.test"), undefined);
  });
});

Deno.test("a helper that fails, is missing or has another name is named with the reason, never what it printed", async () => {
  const credHelpers = {
    "broken.test": "broken",
    "odd.test": "odd",
    "none.test": "none",
    "path.test": "../x",
  };
  const helpers = { broken: "echo locked >&2; exit 1", odd: "echo s3cret" };
  await withLogins({ credHelpers }, helpers, async (login, path) => {
    const failures = {
      "broken.test": new OsctlError(
        "docker-credential-broken has no login for broken.test: locked",
      ),
      "odd.test": new OsctlError(
        "docker-credential-odd did not return a login",
      ),
      "none.test":
        /^OsctlError: Cannot run "docker-credential-none" for the login of none\.test: it is not on the PATH$/,
      "path.test": new UsageError(
        `Cannot use credential helper "../x" in "${path}": it must be a name such as "pass"`,
      ),
    };
    for (const [host, failure] of Object.entries(failures)) {
      await assert.rejects(login(host), failure, host);
    }
  });
});

Deno.test("a configuration that is not there has no logins, and one that is not JSON is named", async () => {
  const { signal } = new AbortController();
  const login = await dockerLogins({ path: "/nowhere/config.json", signal });
  assert.equal(await login("one.test"), undefined);
  await assert.rejects(
    withLogins("{", {}, () => Promise.resolve()),
    /^UsageError: Cannot read ".*config\.json": it is not JSON$/,
  );
});
