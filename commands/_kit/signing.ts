/** Signs requests to a proxy endpoint, for contexts with an identity. */

import { readIfPresent } from "../../lib/files/exists.ts";
import { locateKeys } from "../../config/osconfig/location.ts";
import { processMasker } from "../../lib/masker.ts";
import type { NamedContext } from "../../config/osconfig/select_context.ts";
import { legacyKeyFolders, serviceAccountVariables } from "../../talos.ts";
import type { Sign } from "../../transport/call/metadata.ts";
import { loadSigner } from "../../transport/signing/signature.ts";
import type { SessionRequest } from "./main.ts";

/** Loads the key of a context. Throws `ConfigError` if there is no key, or it is unusable. */
export function openSigner(
  context: NamedContext,
  identity: string,
  { globals, environment }: Pick<SessionRequest, "globals" | "environment">,
): Promise<Sign> {
  const secret = (text: string) => {
    processMasker.add(text);
    return text;
  };
  const variable = serviceAccountVariables.find((name) =>
    environment.env(name)
  );
  return loadSigner({
    identity,
    context: context.name,
    folders: keyFolders(globals.osv1KeysDir, environment.env),
    readText: async (path) => {
      const text = await readIfPresent(path);
      return text && secret(text);
    },
    now: environment.now,
    serviceAccount: variable === undefined
      ? undefined
      : { encoded: secret(environment.env(variable) ?? ""), variable },
  });
}

/** The directory named by the user only; else ours, then those of talosctl. */
function keyFolders(
  named: string | undefined,
  env: (name: string) => string | undefined,
): string[] {
  const own = locateKeys(named, env);
  const home = env("HOME");
  if (named !== undefined || home === undefined) return [own];
  return [own, ...legacyKeyFolders.map((folder) => `${home}/${folder}`)];
}
