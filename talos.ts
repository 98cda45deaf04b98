/**
 * Vendor names in the protocol and the documents; defined only here.
 *
 * Source: names that a Talos Linux node sends or expects.
 */

/** Value of the `runtime` request metadata key that every call carries. */
export const runtimeName = "Talos";

/** Request metadata key for the roles of a caller with the impersonator role. */
export const rolesKey = "talos-role";

/** Suffix of Talos resource types, and API group of its documents. */
export const domain = "talos.dev";

/** Prefix of event type URLs; the protobuf full name follows. */
export const eventTypePrefix = "talos/runtime/";

/** Path prefix of the KMS service for disk keys; the method follows. */
export const kmsService = "/sidero.kms.KMSService/";

/** The operating system in conformance submissions. */
export const product = {
  vendor: "Sidero Labs",
  name: "Talos Linux",
  description:
    "Talos Linux is Linux designed for Kubernetes - secure, immutable, and minimal.",
  website: "https://www.siderolabs.com/",
  repository: "https://github.com/siderolabs/talos",
  documentation: `https://www.${domain}`,
  logo: `https://www.${domain}/images/Sidero_stacked_darkbkgd_RGB.svg`,
} as const;

/** Environment variable of a node in a container: its simulated hardware. */
export const skuVariable = "TALOSSKU";

/** Platform of a node in a container. */
export const containerPlatform = "container";

/** Package of the records in expressions. */
export const recordPackage = "talos.resource.definitions";

/** Name of the tunnel to a management service, in resource types. */
export const tunnelName = "Siderolink";

/** Registry and folder of the images that nodes run. */
export const imagePrefix = "ghcr.io/siderolabs";

/** Registry that makes installer images with extensions. */
export const imageFactory = `factory.${domain}`;

/** Release whose behaviour simulated nodes have by default. */
export const defaultRelease = "v1.12.11";

/** Organization of the node API's certificate authority. */
export const caOrganization = "talos";

/** Annotation that marks a machine configuration whose spec is a YAML string. */
export const yamlSpecAnnotation = `${domain}/yaml-spec`;

/** Access to the node API from pods. */
export const serviceAccount = {
  /** API version of the requesting object; a controller on the nodes watches these. */
  apiVersion: `${domain}/v1alpha1`,
  kind: "ServiceAccount",
  mountPath: `/var/run/secrets/${domain}`,
  /** Name of the pod's volume; prefixed with the object's name, that of the secret. */
  volume: "talos-secrets",
} as const;

/** Read-only client configuration in a pod with a service account. */
export const serviceAccountConfigPath = `${serviceAccount.mountPath}/config`;

/** Keys of `auth` for a proxy identity in client configurations. */
export const proxyAuthKeys = ["osv1", "siderov1"] as const;

/** Format of signed requests, version 1. */
export const requestSignature = {
  /** First word of the signature. */
  version: "siderov1",
  /** Metadata key of the time of signing, in seconds since 1970. */
  timestampKey: "x-sidero-timestamp",
  /** Metadata key of the text that was signed. */
  payloadKey: "x-sidero-payload",
  /** Metadata key of version, identity, key fingerprint and base64 of the signature. */
  signatureKey: "x-sidero-signature",
} as const;

/** Environment variables with the key of a service account; the first one set counts. */
export const serviceAccountVariables = [
  "SIDERO_SERVICE_ACCOUNT_KEY",
  "OMNI_SERVICE_ACCOUNT_KEY",
] as const;

/** Folders in the user's home directory where talosctl keeps PGP keys; checked after ours. */
export const legacyKeyFolders = [
  ".talos/keys",
  ".local/share/talos/keys",
] as const;

/** Field of `GenerateClientConfiguration` with a complete client configuration. */
export const clientConfigField = "talosconfig";

/** Folder in the user's home directory where talosctl keeps its client configuration. */
export const legacyHome = ".talos";

/** talosctl's names for our flags; accepted, but hidden. */
export const legacyFlags = {
  /** Path of the client configuration. */
  osconfig: "talosconfig",
  osv1KeysDir: "siderov1-keys-dir",
  /** Version of the operating system. */
  osVersion: "talos-version",
  osconfigDestination: "talosconfig-destination",
  oslink: "with-siderolink",
  /** Rotates the CA of the node API. */
  os: "talos",
} as const;

/** talosctl's name for `os-bundle`; accepted, but hidden. */
export const legacyBundle = "talos-bundle";

/** talosctl's names for our environment variables; used when ours is not set. */
export const legacyEnvironment = {
  /** Path of the client configuration. */
  OSCONFIG: "TALOSCONFIG",
  /** Data directory of the client. */
  OS_HOME: "TALOS_HOME",
  OSV1_KEYS_DIR: "SIDEROV1_KEYS_DIR",
  OS_EDITOR: "TALOS_EDITOR",
} as const;

/** Common name in the certificate of a node that has no configuration yet. */
export const maintenanceCommonName = `maintenance-service.${domain}`;

/** Key of `machine.features` that allows pods to use the node API. */
export const podAccessField = "kubernetesTalosAPIAccess";

/** Default cluster discovery service. */
export const discoveryEndpoint = `https://discovery.${domain}/`;

/** Name of that tunnel in documents. */
export const tunnelLabel = "siderolink";

/** Paths of the calls that open that tunnel: to join, and to send packets. */
export const tunnelMethods = {
  provision: "/sidero.link.ProvisionService/Provision",
  stream: "/sidero.link.WireGuardOverGRPCService/CreateStream",
};

/** Kernel arguments that configure that tunnel and its traffic. */
export const agentArguments = [
  "siderolink.api",
  "talos.events.sink",
  "talos.logging.kernel",
];

/** Header with the sender of packets. */
export const tunnelHeader = "x-siderolink-ipv6-addr";

/** Path of the call for events of nodes through that tunnel. */
export const eventSinkMethod = "/events.EventSinkService/Publish";

/** Environment variable with the path of talosctl, for measurements. */
export const peerProgramVariable = "TALOSCTL";
