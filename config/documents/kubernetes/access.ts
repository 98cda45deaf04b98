import { roleRules } from "../../rules/machine.ts";
import { words } from "../scalars/scalars.ts";
import { documentKind } from "../table.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";

export const kubeAuditPolicy = documentKind()`
KubeAuditPolicyConfig | controlplane, since 1.14 | Audit policy of the API server
  = {"configuration": {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": [{"level": "Metadata"}]}}
  configuration | free, always, replace | Configuration, in the format of Kubernetes
    = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": [{"level": "Metadata"}]}
`;

export const kubeAuthentication = documentKind()`
KubeAuthenticationConfig | controlplane, since 1.14 | Authentication configuration of the API server
  = {"configuration": {"anonymous": {"enabled": true, "conditions": [{"path": "/livez"}]}, "jwt": []}}
  configuration | free, always, replace | Configuration, in the format of Kubernetes
    = {"anonymous": {"enabled": true, "conditions": [{"path": "/livez"}]}, "jwt": []}
`;

export const kubeCredentialProvider = documentKind()`
KubeCredentialProviderConfig | since 1.14 | Kubelet credential providers
  = {"configuration": {"apiVersion": "kubelet.config.k8s.io/v1", "kind": "CredentialProviderConfig",
    "providers": [{"name": "ecr-credential-provider", "apiVersion": "credentialprovider.kubelet.k8s.io/v1",
    "defaultCacheDuration": "12h", "matchImages": ["*.dkr.ecr.*.amazonaws.com"]}]}}
  configuration | free, always, replace | Configuration, in the format of Kubernetes
    = {"apiVersion": "kubelet.config.k8s.io/v1", "kind": "CredentialProviderConfig",
      "providers": [{"name": "ecr-credential-provider", "apiVersion": "credentialprovider.kubelet.k8s.io/v1",
      "defaultCacheDuration": "12h", "matchImages": ["*.dkr.ecr.*.amazonaws.com"]}]}
`;

export const kubeAdmissionControl = documentKind()`
KubeAdmissionControlConfig | named, controlplane, since 1.14 | Admission plugin of the API server
  = {"name": "PodSecurity", "configuration": {"apiVersion": "pod-security.admission.config.k8s.io/v1alpha1",
    "kind": "PodSecurityConfiguration", "defaults": {"audit": "restricted", "audit-version": "latest",
    "enforce": "baseline", "enforce-version": "latest", "warn": "restricted", "warn-version": "latest"},
    "exemptions": {"namespaces": ["kube-system"], "runtimeClasses": [], "usernames": []}}}
  name          | text, always | Name of the plugin | "PodSecurity"
  configuration | free, always | Configuration of the plugin
    = {"apiVersion": "pod-security.admission.config.k8s.io/v1alpha1", "kind": "PodSecurityConfiguration",
      "defaults": {"audit": "restricted", "audit-version": "latest", "enforce": "baseline",
      "enforce-version": "latest", "warn": "restricted", "warn-version": "latest"},
      "exemptions": {"namespaces": ["kube-system"], "runtimeClasses": [], "usernames": []}}
`;

const types = ["Node", "RBAC", "Webhook"];
const type = words(types);

export const kubeAuthorizer = documentKind(kubeAuthorizerRules)`
KubeAuthorizerConfig | named, controlplane, since 1.14 | Authorizer of the API server
  = RBAC | {"name": "rbac", "type": "RBAC"}
  = Webhook | {"name": "access-service", "type": "Webhook", "webhook": {"timeout": "3s",
    "subjectAccessReviewVersion": "v1", "matchConditionSubjectAccessReviewVersion": "v1",
    "failurePolicy": "NoOpinion", "connectionInfo": {"type": "InClusterConfig"}}}
  name    | text, always | Name of the authorizer | "rbac"
  type    | ${type}, always, required | Type of the authorizer | "RBAC"
  webhook | free | Webhook configuration
    = {"timeout": "3s", "subjectAccessReviewVersion": "v1", "matchConditionSubjectAccessReviewVersion": "v1",
      "failurePolicy": "NoOpinion", "connectionInfo": {"type": "InClusterConfig"}}
`;

function* kubeAuthorizerRules(document: Cursor): Iterable<Problem> {
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
}

/** Node API access from pods. */
export const kubePodAccess = documentKind((document) =>
  roleRules(document.get("allowedRoles"))
)`
KubeTalosAPIAccessConfig | controlplane, since 1.14 | Access to the node API from pods
  = {"allowedRoles": ["os:reader"], "allowedKubernetesNamespaces": ["kube-system"]}
  allowedRoles                | list(text) | Roles that pods may request | ["os:reader"]
  allowedKubernetesNamespaces | list(text) | Namespaces with access | ["kube-system"]
`;
