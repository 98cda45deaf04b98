import { injectServiceAccounts } from "../../config/inject/service_accounts.ts";
import { UsageError } from "../../errors.ts";
import { parseRoles, type Role } from "../../pki/roles.ts";
import {
  bytes,
  type Command,
  requiredText,
  strings,
  type Values,
} from "../_kit/mod.ts";
import { readSource } from "../_configure/source.ts";

const inputs = {
  file: requiredText("Kubernetes manifests; - for standard input", {
    short: "f",
    complete: "files",
    dash: true,
  }),
  roles: strings("roles for the service accounts", {
    short: "r",
    initial: ["os:reader"],
  }),
};

type ServiceAccountInputs = Values<typeof inputs>;

export const command = {
  summary: "Add a service account to the pods in Kubernetes manifests",
  description:
    `Pods, Deployments, StatefulSets, DaemonSets, Jobs and CronJobs, including those in lists, get a volume with a
client configuration, mounted in every container and init container. A ServiceAccount object with the roles follows each
of them, or joins the List it is in, unless the manifests have it already. Documents without pods are not changed; in
the others, comments, key order and all other values are kept. The command is idempotent. The machine configuration of
the nodes must allow the roles and the namespace. The volume uses a secret that the nodes create, so pods start once
it exists.`,
  aliases: ["inject tsa"],
  inputs,
  examples: [
    "inject serviceaccount -f deployment.yaml --roles os:admin > injected.yaml",
    "inject serviceaccount -f - < deployment.yaml | kubectl apply -f -",
  ],
  output: "own",
  view: bytes(),
  async *run(context) {
    const { input, note } = context;
    const roles = decodeRoles(input);
    const { text, name } = await readSource(input.file, context, {
      limitMib: 16,
      expected: "Kubernetes manifests",
    });
    const injected = injectServiceAccounts(text, { file: name, roles });
    for (const warning of injected.warnings) note(`warning: ${warning}`);
    yield new TextEncoder().encode(injected.text);
  },
} satisfies Command<Uint8Array, ServiceAccountInputs>;

function decodeRoles({ roles }: ServiceAccountInputs): readonly Role[] {
  const known = parseRoles(roles);
  if (known.length > 0) return known;
  throw new UsageError("Flag --roles is empty", {
    hint: "Omit it for os:reader",
  });
}
