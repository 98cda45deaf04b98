import { ConfigError, UsageError } from "../../errors.ts";
import { findRelease } from "../../config/releases.ts";
import { parseContract } from "../../config/generate/contract.ts";
import { parseEndpoint } from "../../config/generate/machine_options.ts";
import { generateSecrets } from "../../config/generate/secrets.ts";
import { renderSecrets } from "../../config/generate/secrets_file.ts";
import { takenAmong, writeFilesAtomic } from "../../lib/files/file_set.ts";
import { splitPath } from "../../lib/files/atomic_file.ts";
import { defaultRelease } from "../../talos.ts";
import { working } from "../../transport/call/open_calls.ts";
import { makeStarter } from "../../workflows/site/starter.ts";
import { type Command, lines, text, type Values, word } from "../_kit/mod.ts";
import { requiredText } from "../_kit/inputs.ts";
import { siteSchemaText } from "./_site.ts";

/** A written file. */
export interface InitRow {
  readonly path: string;
}

const inputs = {
  directory: word("directory to create; its name is that of the cluster"),
  endpoint: requiredText(
    "URL of the Kubernetes API, such as https://10.0.0.10:6443",
  ),
  os: text("operating system version", { initial: defaultRelease }),
  kubernetesVersion: text("Kubernetes version", {
    shown: "default of the operating system version",
  }),
};

export const command = {
  summary: "Create a site",
  description:
    `Writes a commented site.yaml with its JSON Schema for editors, new secrets, and patches to start from. Existing files
are not changed.`,
  inputs,
  examples: [
    "site init lab --endpoint https://10.0.0.10:6443 --os v1.13.9",
  ],
  view: lines(({ path }) => path),
  writes: true,
  async *run({ input, environment }) {
    const { directory, os } = input;
    const endpoint = publicEndpoint(input.endpoint);
    const folder = directory.replace(/(?<=.)\/+$/, "");
    const contract = parseContract(os);
    const { now, cores = 1 } = environment;
    const kubernetes = input.kubernetesVersion ??
      findRelease(os).kubernetes;
    const secrets = await working(
      "generating keys",
      () => generateSecrets({ contract, now: now(), cores }),
    );
    const files = makeStarter({
      name: splitPath(folder)[1],
      endpoint,
      os: os.replace(/^v/, ""),
      kubernetes: kubernetes.replace(/^v/, ""),
      schema: siteSchemaText(),
      secrets: renderSecrets(secrets),
      encrypted: false,
    }).map((file) => ({ ...file, path: `${folder}/${file.path}` }));
    const [taken] = await takenAmong(
      [`${folder}/topf.yaml`, ...files.map(({ path }) => path)],
    );
    if (taken !== undefined) {
      throw new ConfigError(`Cannot create a site: "${taken}" exists`, {
        hint: "Choose another directory",
      });
    }
    await writeFilesAtomic(files);
    yield* files.map(({ path }) => ({ path }));
  },
} satisfies Command<InitRow, Values<typeof inputs>>;

/** The endpoint is in every configuration and in git. */
function publicEndpoint(text: string): string {
  const endpoint = parseEndpoint(text);
  const { username, password } = new URL(endpoint);
  if (username === "" && password === "") return endpoint;
  throw new UsageError("Flag --endpoint has a user name or password", {
    hint: "Give it as https://10.0.0.1:6443",
  });
}
