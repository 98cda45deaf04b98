import assert from "node:assert/strict";
import {
  behaviorVersions,
  callVersions,
  includes,
  minorReleases,
  parseRange,
  replyVersions,
  requestVersions,
  serviceVersions,
  type VersionRange,
  withoutFields,
} from "../../../simulator/release/version_facts.ts";
import { definitionsFor } from "../../../simulator/resources/resource_definitions.ts";
import { keyOf } from "../../../simulator/node/contents/content.ts";
import { allRoutes } from "../../../simulator/services/mod.ts";
import { bootedNode } from "../_node.ts";
import { kubernetesRange } from "../../../workflows/upgrade/kubernetes_range.ts";

Deno.test("ranges of versions include their ends", () => {
  const minors = [8, 9, 10, 11, 12];
  const included = (text: string) =>
    minors.filter((minor) => includes(parseRange(text), minor));
  assert.deepEqual(
    ["", "10-", "-10", "9-11", "9-9"].map(included),
    [minors, [10, 11, 12], [8, 9, 10], [9, 10, 11], [9]],
  );
  assert.equal(includes(undefined, 8), true);
});

Deno.test("every call with versions is one that nodes have", () => {
  const paths = allRoutes.map(({ path }) => path.slice(1));
  const unknown = Object.keys(callVersions).filter((call) =>
    !paths.some((path) => path === call || path.startsWith(`${call}/`))
  );
  assert.deepEqual(unknown, []);
});

Deno.test("supported versions of Kubernetes are those the product knows", () => {
  for (const { tag, kubernetesRange: own } of Object.values(minorReleases)) {
    const { oldest, newest } = kubernetesRange(tag)!;
    assert.deepEqual(own, [oldest, newest], tag);
  }
});

Deno.test("fields of other versions are left out, through lists; what has none stays the same", () => {
  const message = { messages: [{ id: "a", uid: "b", deep: { x: 1, y: 2 } }] };
  assert.deepEqual(
    withoutFields(message, {
      "messages.uid": [9],
      "messages.deep.x": [0, 7],
      "messages.id": [8],
      "nothing.here": [9],
    }, 8),
    { messages: [{ id: "a", deep: { y: 2 } }] },
  );
  assert.equal(withoutFields(message, { "messages.uid": [8] }, 8), message);
  assert.equal(withoutFields(message, { "messages.other": [9] }, 8), message);
  assert.equal(withoutFields("text", { a: [9] }, 8), "text");
});

/** What each behavior means for people, in the order of the page. */
const behaviors: Readonly<Record<keyof typeof behaviorVersions, string>> = {
  installsGrub: "a new installation starts with GRUB",
  wantsMainDocument: "a configuration without the main document is refused",
  checksKubernetes:
    "a configuration with a version of Kubernetes that the node does not support is refused",
  appliesOneAtATime:
    "a configuration is refused while another one is being applied",
  appliesOnceBeforeReboot:
    "a configuration is refused while the node reboots for another one",
  rebootsForcibly: "`reboot --mode force`",
  skipsEtcdCheckToPreserve:
    "`upgrade --preserve` does not check etcd on control planes",
  rolesInMaintenance: "roles decide in maintenance mode, too",
  bootstrapIsControlPlaneApi: "`bootstrap` does not exist on workers",
  appliesWithReboot: "some changes of a configuration need a reboot",
};

function versionText([first, last]: VersionRange): string {
  if (last === undefined) return `v1.${first} and later`;
  return first === 0 ? `up to v1.${last}` : `v1.${first} to v1.${last}`;
}

function rowsOf(
  texts: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  return texts.map((cells) => cells.map((cell) => cell.trim()));
}

/** Cells of the rows of all tables under a heading, without the head of each. */
function tableIn(page: string, heading: string) {
  const [, section = ""] = page.split(`## ${heading}\n`);
  const lines = (section.split("\n## ")[0] ?? "").split("\n")
    .filter((line) => line.startsWith("|"));
  return rowsOf(lines.slice(2).map((line) => line.split("|").slice(1, -1)));
}

Deno.test("the page about versions has what simulated nodes do", async () => {
  const url = new URL("../../../docs/versions.md", import.meta.url);
  const page = await Deno.readTextFile(url);
  assert.deepEqual(
    tableIn(page, "Releases"),
    Object.entries(minorReleases).map(([minor, release]) => {
      const [oldest, newest] = release.kubernetesRange;
      return [
        ...[`v1.${minor}`, release.tag, `1.${oldest} to 1.${newest}`],
        ...[release.etcd, String(definitionsFor(Number(minor)).size)],
      ];
    }),
  );
  const fields = { ...requestVersions, ...replyVersions };
  assert.deepEqual(
    tableIn(page, "Calls and fields"),
    [
      ...Object.entries(callVersions),
      ...Object.entries(fields).flatMap(([call, versions]) =>
        Object.entries(versions).map(([way, range]) =>
          [`${call}: ${way.split(".").at(-1)}`, range] as const
        )
      ),
      ...Object.entries(serviceVersions).map(([id, range]) =>
        [`service ${id}`, range] as const
      ),
    ].map(([name, range]) => [`\`${name}\``, versionText(range)]),
  );
  assert.deepEqual(
    tableIn(page, "Behavior"),
    Object.entries(behaviors).map(([name, text]) => [
      text,
      // The keys are those of the table of behaviors.
      versionText(behaviorVersions[name as keyof typeof behaviors]),
    ]),
  );
});

/** Keys of specs with the minor versions whose nodes have them, of those from 8 to 14. */
const keys: Readonly<Record<string, string>> = {
  "AddressStatuses.net priority": "10 11 12 13 14",
  "APIServerConfigs.kubernetes podSecurityPolicyEnabled": "8 9 10 11",
  "APIServerConfigs.kubernetes startupProbesEnabled": "14",
  "APIServerConfigs.kubernetes useAuthenticationConfig": "14",
  "ControllerManagerConfigs.kubernetes nodeCIDRMaskSizeIPv4": "14",
  "ControllerManagerConfigs.kubernetes nodeCIDRMaskSizeIPv6": "14",
  "DiscoveredVolumes.block dev_dath": "8 9",
  "DiscoveredVolumes.block dev_path": "10 11 12 13 14",
  "DiscoveredVolumes.block offset": "12 13 14",
  "DiscoveryConfigs.cluster serviceEndpoint": "8 9 10 11 12 13 14",
  "DiscoveryConfigs.cluster serviceEndpoints": "14",
  "Disks.block symlinks": "10 11 12 13 14",
  "Endpoints.kubernetes hosts": "12 13 14",
  "KubernetesRootSecrets.secrets acceptedAggregatorCAs": "14",
  "KubernetesRootSecrets.secrets etcdEncryptionConfig": "14",
  "KubernetesRootSecrets.secrets issuerURL": "14",
  "KubernetesRootSecrets.secrets serviceAccountAcceptedKeys": "14",
  "LinkStatuses.net alias": "9 10 11 12 13 14",
  "MountRequests.block detached": "12 13 14",
  "MountRequests.block secure": "13 14",
  "NodeAddresses.net sortAlgorithm": "9 10 11 12 13 14",
  "ResolverStatuses.net searchDomains": "9 10 11 12 13 14",
  "SecurityStates moduleSignatureEnforced": "12 13 14",
  "SecurityStates selinuxState": "10 11 12 13 14",
  "TimeStatuses.v1alpha1 consecutiveSpikes": "14",
  "TimeStatuses.v1alpha1 spikeDetected": "14",
  "Versions.runtime name": "13 14",
  "VolumeMountRequests.block noExec": "14",
  "VolumeMountRequests.block secure": "13 14",
  "VolumeMountStatuses.block disableAccessTime": "13 14",
  "VolumeStatuses.block type": "10 11 12 13 14",
};

Deno.test("specs have the keys of each version", async () => {
  const found = new Map<string, number[]>(
    Object.keys(keys).map((name) => [name, []]),
  );
  for (const minor of [8, 9, 10, 11, 12, 13, 14]) {
    const { boot, cluster } = await bootedNode({
      release: { tag: minorReleases[minor]!.tag },
    });
    for (const [name, minors] of found) {
      const [type = "", key = ""] = name.split(" ");
      const kind = keyOf({ type, id: "" });
      const specs = [boot.resources, cluster.shared].flatMap((store) =>
        store.list(kind)
      ).map(({ spec }) => Object(spec));
      if (specs.some((spec) => key in spec)) minors.push(minor);
    }
  }
  assert.deepEqual(
    Object.fromEntries(
      [...found].map(([name, minors]) => [name, minors.join(" ")]),
    ),
    keys,
  );
});
