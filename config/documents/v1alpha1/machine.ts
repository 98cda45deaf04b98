/** `machine`. */

import { podAccessField } from "../../../talos.ts";
import { defaultImages, defaultKubernetes } from "../../images.ts";
import {
  exampleCertificate,
  examplePair,
  exampleToken,
} from "../example_material.ts";
import { fieldTable } from "../table.ts";
import { network } from "./machine_network.ts";

const idMapping = fieldTable`
containerID | u32, always | First id in the container | 0
hostID      | u32, always | First id on the host | 100000
size        | u32, always | Number of ids to map | 65536
`;

const diskEncryption = fieldTable`
provider                       | words(luks2), always, default luks2 | Encryption provider
keys                           | gaps(struct), always, required | Encryption keys; any of them unlocks the partition
  static                       | struct, optional | Static passphrase from the configuration
    passphrase                 | string, secret | Passphrase
  nodeID                       | struct, optional | Key derived from the node's UUID; weak, as it is not a secret
  kms                          | struct, optional | Random key, sealed by a KMS server
    endpoint                   | text, always | URL of the KMS server
  slot                         | int, always | LUKS key slot
  tpm                          | struct, optional | Random key, sealed by the node's TPM
    checkSecurebootStatusOnEnroll | boolean, optional, default false | Makes key enrollment fail if Secure Boot is off
cipher                         | text | Cipher
keySize                        | u64 | Key size, in bits
blockSize                      | u64 | Sector size for encryption, in bytes
options                        | list(text) | Performance options for dm-crypt
`;

/** Settings of one node. */
export const machine = fieldTable`
type                           | words(controlplane worker init), always, default worker | Machine type of the node
  = "controlplane"
token                          | string, always, secret | Token for joining the cluster, shared by all nodes
  = "${exampleToken}"
ca                             | certificateAndKey, optional | CA of the node API; without the key on workers
  = ${examplePair}
acceptedCAs                    | gaps(certificateOnly) | Additional CAs that the node API accepts
  = [{"crt": "${exampleCertificate}"}]
certSANs                       | list(text), always | Additional names and addresses for the node API's certificate
  = ["192.0.2.10", "node1.example.com"]
controlPlane                   | struct, optional | Control plane components to disable on this node
  = {"controllerManager": {"disabled": true}, "scheduler": {"disabled": true}}
  controllerManager            | struct, optional | Controller manager on this node | {"disabled": true}
    disabled                   | boolean, optional, default false | Disables the controller manager on this node
  scheduler                    | struct, optional | Scheduler on this node | {"disabled": true}
    disabled                   | boolean, optional, default false | Disables the scheduler on this node
kubelet                        | struct, optional | Kubelet settings
  = {"extraArgs": {"max-pods": "200"}, "nodeIP": {"validSubnets": ["10.0.0.0/8"]}}
  image                        | text, default ${defaultImages.kubelet}:v${defaultKubernetes} | Kubelet image
    = "${defaultImages.kubelet}:v${defaultKubernetes}"
  clusterDNS                   | list(text), default the tenth address of each service subnet | DNS servers for pods
    = ["10.96.0.10", "169.254.116.108"]
  extraArgs                    | programFlags | Additional kubelet flags, without dashes
    = {"v": "4", "max-pods": "200"}
  extraMounts                  | list(struct) | Additional host paths to mount into the kubelet's container
    = [{"destination": "/var/mnt/data", "type": "bind", "source": "/var/mnt/data", "options": ["bind",
      "rshared", "rw"]}]
    destination                | text, always | Absolute path in the container | "/var/mnt/data"
    type                       | text | Mount type | "bind"
    source                     | text | Path on the host, or name of the mount source | "/var/mnt/data"
    options                    | list(string) | Mount options | ["bind", "rshared", "rw"]
    uidMappings                | list(struct(${idMapping})) | UID mappings from container to host
      = [{"containerID": 0, "hostID": 100000, "size": 65536}]
    gidMappings                | list(struct(${idMapping})) | GID mappings from container to host
      = [{"containerID": 0, "hostID": 100000, "size": 65536}]
  extraConfig                  | free | Additional kubelet configuration (KubeletConfiguration)
    = {"serverTLSBootstrap": true, "imageGCHighThresholdPercent": 80}
  credentialProviderConfig     | free | Kubelet credential providers for image registries
    = {"apiVersion": "kubelet.config.k8s.io/v1", "kind": "CredentialProviderConfig",
      "providers": [{"name": "registry-credential-provider",
      "apiVersion": "credentialprovider.kubelet.k8s.io/v1", "matchImages": ["registry.example.com"],
      "defaultCacheDuration": "12h"}]}
  defaultRuntimeSeccompProfileEnabled | boolean, optional, default false | Enables the runtime's default seccomp profile for all containers
  registerWithFQDN             | boolean, optional, default false | Registers the node in Kubernetes by its FQDN
  nodeIP                       | struct, optional | How the node IP is chosen
    = {"validSubnets": ["10.0.0.0/8", "!10.0.0.3/32"]}
    validSubnets               | list(text) | Subnets to choose the node IP from; ! excludes one
      = ["10.0.0.0/8", "!10.0.0.3/32", "2001:db8::/32"]
  skipNodeRegistration         | boolean, optional, default false | Runs the kubelet without an API server, for static pods only
  disableManifestsDirectory    | boolean, optional, default false | Disables static pods from the manifests directory
pods                           | list(free) | Static pods to run on the node
  = [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "proxy"},
    "spec": {"containers": [{"name": "proxy", "image": "registry.example.com/proxy:1.0"}]}}]
network                        | struct(${network}), optional | Network settings
  = {"kubespan": {"enabled": true}}
disks                          | gaps(struct), deprecated UserVolumeConfig | Additional disks to partition and mount
  device                       | text | Disk to partition
  partitions                   | gaps(struct) | Partitions, in order
    size                       | diskSize | Size; omit to use the rest of the disk, last partition only
    mountpoint                 | text | Mount point
install                        | struct, optional | Installation settings
  = {"disk": "/dev/sda", "image": "${defaultImages.installer}", "wipe": false}
  disk                         | text | Disk to install to
    = "/dev/sda"
    = By a stable path | "/dev/disk/by-id/nvme-eui.00253885"
  diskSelector                 | struct, optional | Selects the disk by its properties; takes precedence over disk
    = {"size": ">= 100GB", "type": "nvme"}
    size                       | sizeCondition, optional | Size of the disk; may start with ==, >=, <=, > or <
      = At least this size | ">= 100GB"
      = Exactly this size | "4GB"
    name                       | text | Not supported by nodes; kept for old files
    model                      | text | Model of the disk; may contain wildcards | "Example SSD*"
    serial                     | text | Serial number; may contain wildcards | "S0123*"
    modalias                   | text | Modalias; may contain wildcards | "scsi:t-0x00*"
    uuid                       | text | UUID of the disk; may contain wildcards | "7ad8b6f4-*"
    wwid                       | text | WWID of the disk; may contain wildcards | "eui.0025388*"
    type                       | words(ssd hdd nvme sd) | Type of the disk | "nvme"
    busPath                    | text | Bus path of the disk; may contain wildcards
      = "/pci0000:00/0000:00:17.0/ata1/*"
  extraKernelArgs              | list(assignment), deprecated | Additional kernel arguments; a leading dash removes one
  image                        | text | Installer image; determines the installed version
    = "${defaultImages.installer}"
  extensions                   | list(struct), deprecated | System extensions to install
    image                      | text, always | Image of the system extension
  bootloader                   | boolean, optional, deprecated | Installs a boot loader
  wipe                         | boolean, always, optional, default false | Wipes the disk before installation
  legacyBIOSSupport            | boolean, optional, default false | Sets the boot flag in the MBR for legacy BIOS firmware that needs it
  grubUseUKICmdline            | boolean, optional, default false, since 1.12 | Makes GRUB use the kernel arguments of the UKI
files                          | gaps(struct) | Files to write at boot
  = [{"content": "server = 192.0.2.53\n", "permissions": 420, "path": "/var/etc/example.conf",
    "op": "create"}]
  content                      | string, always | Contents of the file | "server = 192.0.2.53\n"
  permissions                  | fileMode, always | File mode, octal | 420
  path                         | text, always | Absolute path, below /var unless the file already exists
    = "/var/etc/example.conf"
  op                           | words(create append overwrite), always | Operation: create, append or overwrite
    = "create"
env                            | map(string) | Environment variables of system services, such as proxies
  = {"https_proxy": "http://proxy.example.com:3128", "no_proxy": "10.0.0.0/8,example.com"}
time                           | struct, optional, deprecated TimeSyncConfig | Time synchronization settings
  disabled                     | boolean, optional, default false | Disables time synchronization
  servers                      | list(text) | NTP servers
  bootTimeout                  | duration | How long booting waits for time sync; default no limit
sysctls                        | map(text) | Kernel parameters (sysctls) to set | {"net.ipv4.ip_forward": "1"}
sysfs                          | map(text) | Values to set in sysfs; keys use dots or slashes
  = {"devices.system.cpu.cpu0.cpufreq.scaling_governor": "performance"}
registries                     | struct, deprecated RegistryMirrorConfig | Image registry mirrors, TLS settings and credentials
  mirrors                      | map(struct) | Mirrors, by the hostname of the registry
    endpoints                  | list(text), always | URLs of mirrors, in the order they are tried
    overridePath               | boolean, optional, default false | Uses the URLs' paths unchanged instead of appending to them
    skipFallback               | boolean, optional, default false, since 1.9 | Skips the registry itself if all mirrors fail
  config                       | map(struct) | TLS settings and credentials, by the hostname of the registry
    tls                        | struct, optional | TLS settings
      clientIdentity           | certificateAndKey, optional | Client certificate for mutual TLS
      ca                       | base64, replace | CA certificates to trust in addition to the system's, base64-encoded PEM
      insecureSkipVerify       | boolean, optional, default false | Skips verification of the registry's certificate
    auth                       | struct, optional | Credentials
      username                 | text | Username
      password                 | string, secret | Password
      auth                     | string, secret | Username and password joined by a colon, in base64
      identityToken            | string, secret | Identity token, used instead of username and password
systemDiskEncryption           | struct, optional, deprecated VolumeConfig | Encryption of the system partitions
  state                        | struct(${diskEncryption}), optional | Encryption of the STATE partition, which holds the configuration
  ephemeral                    | struct(${diskEncryption}), optional | Encryption of the EPHEMERAL partition, mounted at /var
features                       | struct, optional | Features to enable or disable
  = {"diskQuotaSupport": true, "kubePrism": {"enabled": true, "port": 7445}, "hostDNS": {"enabled": true,
    "forwardKubeDNSToHost": true}}
  rbac                         | boolean, optional, deprecated | Enables role-based access control (RBAC) in the node API
  stableHostname               | boolean, optional, default false, deprecated HostnameConfig | Generates a stable hostname if none is given
  ${podAccessField}     | struct, optional | Access to the node API from pods
    = {"enabled": true, "allowedRoles": ["os:reader"], "allowedKubernetesNamespaces": ["kube-system"]}
    enabled                    | boolean, optional, default false | Enables access for pods
    allowedRoles               | list(text) | Roles that pods may request | ["os:reader"]
    allowedKubernetesNamespaces | list(text) | Namespaces in which pods may have access | ["kube-system"]
  apidCheckExtKeyUsage         | boolean, optional, deprecated | Requires client certificates to have the clientAuth extended key usage
  diskQuotaSupport             | boolean, optional, default false | Enables disk quotas for pods
  kubePrism                    | struct, optional | Local load balancer for the API servers (KubePrism), on every node
    = {"enabled": true, "port": 7445}
    enabled                    | boolean, optional, default false | Enables KubePrism
    port                       | int, default 7445 | Port on localhost | 7445
  hostDNS                      | struct, optional | Caching DNS server on the node
    = {"enabled": true, "forwardKubeDNSToHost": true, "resolveMemberNames": true}
    enabled                    | boolean, optional, default false | Enables the host DNS cache
    forwardKubeDNSToHost       | boolean, optional, default false | Makes CoreDNS forward queries to the host DNS cache
    resolveMemberNames         | boolean, optional, default false | Resolves the names of cluster members
  imageCache                   | struct, optional, since 1.9 | Cache of images that come with the installation image
    = {"localEnabled": true}
    localEnabled               | boolean, optional, default false | Enables the local image cache
  nodeAddressSortAlgorithm     | words(v1 v2), default v1, since 1.9 | Sort order of the node's addresses
    = "v2"
udev                           | struct, optional | Settings of udev
  = {"rules": ["SUBSYSTEM==\"drm\", KERNEL==\"renderD*\", MODE=\"0660\""]}
  rules                        | list(string) | Custom udev rules
    = ["SUBSYSTEM==\"drm\", KERNEL==\"renderD*\", GROUP=\"44\", MODE=\"0660\""]
logging                        | struct, optional | Log settings
  = {"destinations": [{"endpoint": "udp://192.0.2.10:5514", "format": "json_lines"}]}
  destinations                 | list(struct), always | Destinations of service logs
    = [{"endpoint": "udp://192.0.2.10:5514", "format": "json_lines", "extraTags": {"site": "north"}}]
    endpoint                   | url, always, optional, required | URL to send logs to, over TCP or UDP
      = "udp://192.0.2.10:5514"
      = "tcp://[2001:db8::10]:5514"
    format                     | words(json_lines), always | Log format | "json_lines"
    extraTags                  | map(string) | Additional fields for every message
      = {"site": "north", "rack": "17"}
kernel                         | struct, optional | Kernel settings | {"modules": [{"name": "nbd"}]}
  modules                      | gaps(struct) | Kernel modules to load
    = [{"name": "nbd", "parameters": ["nbds_max=32"]}]
    name                       | text, always | Name of the kernel module | "nbd"
    parameters                 | list(assignment) | Module parameters | ["nbds_max=32"]
seccompProfiles                | gaps(struct), listed | Seccomp profiles to write to the node
  = [{"name": "log-all.json", "value": {"defaultAction": "SCMP_ACT_LOG"}}]
  name                         | text, always | File name of the profile, as pods refer to it | "log-all.json"
  value                        | free, always | The seccomp profile | {"defaultAction": "SCMP_ACT_LOG"}
baseRuntimeSpecOverrides       | free, since 1.9 | Overrides of the base OCI runtime spec of containers
  = {"process": {"rlimits": [{"type": "RLIMIT_NOFILE", "hard": 65536, "soft": 65536}]}}
nodeLabels                     | map(text) | Labels of the Kubernetes node
  = {"topology.kubernetes.io/zone": "north"}
nodeAnnotations                | map(string) | Annotations of the Kubernetes node | {"example.com/rack": "17"}
nodeTaints                     | map(text) | Taints of the Kubernetes node, as effect or value:effect
  = {"example.com/dedicated": "storage:NoSchedule"}
`;
