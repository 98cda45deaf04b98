import { injectServiceAccounts } from "../../config/inject/service_accounts.ts";
import { UsageError } from "../../errors.ts";
import { parseRoles, type Role } from "../../pki/roles.ts";
import {
  type AnyCommand,
  bytes,
  type Command,
  requiredText,
  strings,
  type Values,
} from "../_kit/mod.ts";
import { readSource } from "../_configure/patches.ts";

const inputs = {
  file: requiredText("Kubernetes manifests, - for standard input", {
    short: "f",
    complete: "files",
  }),
  roles: strings("roles of the service accounts", {
    short: "r",
    initial: ["os:reader"],
  }),
};

type ServiceAccountInputs = Values<typeof inputs>;

/** `osctl inject serviceaccount`: manifests whose pods may use the node API. */
export const command: AnyCommand = {
  summary: "Give the pods in Kubernetes manifests a service account",
  description:
    `Pods, Deployments, StatefulSets, DaemonSets, Jobs and CronJobs, also those in lists, get a volume with a client
configuration and a mount of it in every container and init container. A ServiceAccount object with the roles follows
each of them, or joins the List it is in, unless the manifests have it already. Documents without pods stay as they
are; in the others comments, the order of keys and all other values stay. Running the output through again changes
nothing.

The nodes have to allow the roles and the namespace in their machine configuration. The volume holds a secret that the
nodes make, so pods start once it is there.`,
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
    const roles = rolesOf(input);
    const { text, name } = await readSource(input.file, context, {
      limitMib: 16,
      expected: "Kubernetes manifests",
    });
    const injected = injectServiceAccounts(text, { file: name, roles });
    for (const warning of injected.warnings) note(`warning: ${warning}`);
    yield new TextEncoder().encode(injected.text);
  },
} satisfies Command<Uint8Array, ServiceAccountInputs>;

function rolesOf({ roles }: ServiceAccountInputs): readonly Role[] {
  const known = parseRoles(roles);
  if (known.length > 0) return known;
  throw new UsageError("Flag --roles names no role", {
    hint: "Leave it out for os:reader",
  });
}
