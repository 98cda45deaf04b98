import { podAccessKind } from "../../../dialect.ts";
import { roleRules } from "../../rules/machine.ts";
import { openText, words } from "../scalars/scalars.ts";
import type { DocumentKind, ExampleValue } from "../schema.ts";
import { field, free, list, nameField } from "../shapes.ts";
import { podSecurity, webhook } from "../v1alpha1/control_plane_components.ts";

function literal(
  kind: string,
  summary: string,
  value: ExampleValue,
): DocumentKind {
  return {
    kind,
    summary,
    named: false,
    since: "1.14",
    controlPlaneOnly: true,
    fields: {
      configuration: field(free, "Configuration, in the format of Kubernetes", {
        always: true,
        merge: "replace",
        example: value,
      }),
    },
    examples: [{ value: { configuration: value } }],
  };
}

/** `KubeAuditPolicyConfig`. */
export const kubeAuditPolicy: DocumentKind = literal(
  "KubeAuditPolicyConfig",
  "Audit policy of the API server",
  {
    apiVersion: "audit.k8s.io/v1",
    kind: "Policy",
    rules: [{ level: "Metadata" }],
  },
);

/** `KubeAuthenticationConfig`. */
export const kubeAuthentication: DocumentKind = literal(
  "KubeAuthenticationConfig",
  "Authentication configuration of the API server",
  {
    anonymous: { enabled: true, conditions: [{ path: "/livez" }] },
    jwt: [],
  },
);

/** `KubeCredentialProviderConfig`. */
export const kubeCredentialProvider: DocumentKind = {
  ...literal(
    "KubeCredentialProviderConfig",
    "Kubelet credential providers",
    {
      apiVersion: "kubelet.config.k8s.io/v1",
      kind: "CredentialProviderConfig",
      providers: [{
        name: "ecr-credential-provider",
        apiVersion: "credentialprovider.kubelet.k8s.io/v1",
        defaultCacheDuration: "12h",
        matchImages: ["*.dkr.ecr.*.amazonaws.com"],
      }],
    },
  ),
  controlPlaneOnly: undefined,
};

/** `KubeAdmissionControlConfig`. */
export const kubeAdmissionControl: DocumentKind = {
  kind: "KubeAdmissionControlConfig",
  summary: "Admission plugin of the API server",
  named: true,
  since: "1.14",
  controlPlaneOnly: true,
  fields: {
    name: nameField("Name of the plugin", "PodSecurity"),
    configuration: field(free, "Configuration of the plugin", {
      always: true,
      example: podSecurity,
    }),
  },
  examples: [{ value: { name: "PodSecurity", configuration: podSecurity } }],
};

const types = ["Node", "RBAC", "Webhook"];

/** `KubeAuthorizerConfig`. */
export const kubeAuthorizer: DocumentKind = {
  kind: "KubeAuthorizerConfig",
  summary: "Authorizer of the API server",
  named: true,
  since: "1.14",
  controlPlaneOnly: true,
  fields: {
    name: nameField("Name of the authorizer", "rbac"),
    type: field(words(types), "Type of the authorizer", {
      always: true,
      required: true,
      example: "RBAC",
    }),
    webhook: field(free, "Webhook configuration", { example: webhook }),
  },
  examples: [
    { title: "RBAC", value: { name: "rbac", type: "RBAC" } },
    {
      title: "Webhook",
      value: { name: "access-service", type: "Webhook", webhook },
    },
  ],
  *rules(document) {
    const [type, asked] = [document.get("type"), document.get("webhook")];
    const text = type.text() ?? "";
    if (text !== "" && !types.includes(text)) {
      yield type.error(
        `Authorizer type "${text}" does not exist`,
        `Write ${types.join(", ")}`,
      );
    }
    const isAsked = asked.entries().length > 0;
    if (text === "Webhook" && !isAsked) {
      yield asked.error(
        '"webhook" is missing',
        "Give the webhook configuration",
      );
    } else if (text !== "Webhook" && isAsked) {
      yield asked.warning(
        `"webhook" is given for type "${text}", which has no webhook`,
        "Remove it",
      );
    }
  },
};

/** Access to the node API from pods. */
export const kubePodAccess: DocumentKind = {
  kind: podAccessKind,
  summary: "Access to the node API from pods",
  named: false,
  since: "1.14",
  controlPlaneOnly: true,
  fields: {
    allowedRoles: field(list(openText), "Roles that pods may request", {
      example: ["os:reader"],
    }),
    allowedKubernetesNamespaces: field(
      list(openText),
      "Namespaces with access",
      { example: ["kube-system"] },
    ),
  },
  examples: [{
    value: {
      allowedRoles: ["os:reader"],
      allowedKubernetesNamespaces: ["kube-system"],
    },
  }],
  rules: (document) => roleRules(document.get("allowedRoles")),
};
