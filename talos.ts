/**
 * The vendor's words that the wire and the documents need; they are nowhere else.
 *
 * Source: names a Talos Linux node puts on the wire or expects there.
 */

/** Value of the `runtime` request metadata key that every call carries. */
export const runtimeName = "Talos";

/** Request metadata key by which a caller with the impersonator role names the roles to use. */
export const rolesKey = "talos-role";

/** Suffix of the node's resource types, and API group of its documents. */
export const domain = "talos.dev";

/** Prefix of event type URLs; the protobuf full name follows. */
export const eventTypePrefix = "talos/runtime/";

/** Path of the calls of the service that seals disk keys; the method follows. */
export const kmsService = "/sidero.kms.KMSService/";

/** The operating system as a product, where it is submitted for certification. */
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

/** Variable of a node in a container: what hardware it shows. */
export const skuVariable = "TALOSSKU";

/** Platform of a node in a container. */
export const containerPlatform = "container";

/** Package of the records that expressions speak of. */
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

/** How pods are given access to the node API. */
export const serviceAccount = {
  /** API version of the object that asks for it; a controller on the nodes watches these. */
  apiVersion: `${domain}/v1alpha1`,
  kind: "ServiceAccount",
  /** Where the secret is mounted. */
  mountPath: `/var/run/secrets/${domain}`,
  /** Name of the pod's volume; with the object's name in front that of the secret. */
  volume: "talos-secrets",
} as const;

/** Read-only client configuration that a pod with a service account has. */
export const serviceAccountConfigPath = `${serviceAccount.mountPath}/config`;

/** Keys of `auth` under which a proxy identity is found in client configurations. */
export const proxyAuthKeys = ["osv1", "siderov1"] as const;

/** How signed requests are written, version 1. */
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

/** Environment variables that hold the key of a service account; the first that is set counts. */
export const serviceAccountVariables = [
  "SIDERO_SERVICE_ACCOUNT_KEY",
  "OMNI_SERVICE_ACCOUNT_KEY",
] as const;

/** Folders in the user's home directory where talosctl keeps PGP keys; looked at after ours. */
export const legacyKeyFolders = [
  ".talos/keys",
  ".local/share/talos/keys",
] as const;

/** Field of `GenerateClientConfiguration` that holds a complete client configuration. */
export const clientConfigField = "talosconfig";

/** Folder in the user's home directory where talosctl keeps its client configuration. */
export const legacyHome = ".talos";

/** Names under which talosctl knows flags of ours; accepted and not shown. */
export const legacyFlags = {
  /** Path of the client configuration. */
  osconfig: "talosconfig",
  osv1KeysDir: "siderov1-keys-dir",
  /** Version of the operating system. */
  osVersion: "talos-version",
} as const;

/** Names under which talosctl knows environment variables of ours; they count when ours is not set. */
export const legacyEnvironment = {
  /** Path of the client configuration. */
  OSCONFIG: "TALOSCONFIG",
  /** Directory that holds what the client keeps. */
  OS_HOME: "TALOS_HOME",
  OSV1_KEYS_DIR: "SIDEROV1_KEYS_DIR",
  OS_EDITOR: "TALOS_EDITOR",
} as const;

/** Common name in the certificate of a node that has no configuration yet. */
export const maintenanceCommonName = `maintenance-service.${domain}`;

/** Key of `machine.features` that lets pods use the node API. */
export const podAccessField = "kubernetesTalosAPIAccess";

/** Kind of the document that does the same since 1.14. */
export const podAccessKind = "KubeTalosAPIAccessConfig";

/** Service by which members of a cluster find each other by default. */
export const discoveryEndpoint = `https://discovery.${domain}/`;

/** Kind of the document that configures the tunnel to a management service. */
export const tunnelKind = "SideroLinkConfig";

/** Name of what belongs to that tunnel, in documents. */
export const tunnelLabel = "siderolink";

/** Paths of the calls by which nodes open that tunnel: to join, and to send packets. */
export const tunnelMethods = {
  provision: "/sidero.link.ProvisionService/Provision",
  stream: "/sidero.link.WireGuardOverGRPCService/CreateStream",
};

/** Arguments of the kernel that configure that tunnel, and what goes through it. */
export const agentArguments = [
  "siderolink.api",
  "talos.events.sink",
  "talos.logging.kernel",
];

/** Field of the request that names the sender of packets. */
export const tunnelHeader = "x-siderolink-ipv6-addr";

/** Path of the call by which nodes send their events through that tunnel. */
export const eventSinkMethod = "/events.EventSinkService/Publish";

/** Environment variable that names talosctl's program for measurements. */
export const peerProgramVariable = "TALOSCTL";
