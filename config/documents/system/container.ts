import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { words } from "../scalars/scalars.ts";
import { parseSize } from "../scalars/size.ts";
import { documentKind } from "../table.ts";

const mountOptions = [
  "ro",
  "rw",
  "noexec",
  "nosuid",
  "nodev",
  "noatime",
  "rbind",
  "rshared",
];

const networkConditions = [
  "addresses",
  "connectivity",
  "hostname",
  "etcfiles",
];

const mountOption = words(mountOptions);
const networkCondition = words(networkConditions);

const mountSources = ["userVolume", "tmpfs", "hostPath"];

export const container = documentKind(rules)`
ContainerConfig | named, since 1.14 | A container run without Kubernetes
  = {"name": "web",
    "image": "docker.io/library/nginx@sha256:0000000000000000000000000000000000000000000000000000000000000000",
    "environment": ["NGINX_PORT=8080"], "network": {"mode": "host"}, "resources": {"limits": {"cpu": "1500m",
    "memory": "512MiB"}}, "dependsOn": {"networks": ["addresses"]}}
  name            | text, always | Name of the container | "web"
  image           | text, always, required | Image reference, preferably with a digest
    = "docker.io/library/nginx:1.27"
  entrypoint      | list(text) | Overrides the image's entrypoint | ["/usr/sbin/nginx"]
  args            | list(assignment) | Overrides the image's arguments | ["-g", "daemon off;"]
  workingDir      | text | Overrides the image's working directory | "/srv"
  runAs           | struct, optional | Overrides the image's user and group
    uid           | integer(-2147483648 2147483647), optional | User id; 0 is root on the node | 1000
    gid           | integer(-2147483648 2147483647), optional | Group id | 1000
  environment     | list(assignment) | Additional environment variables, NAME=value | ["NGINX_PORT=8080"]
  mounts          | list(struct) | Mounts, each with one source
    = [{"userVolume": {"name": "web-content", "destination": "/srv"}}, {"tmpfs": {"destination": "/tmp",
      "size": "64MiB"}}]
    userVolume    | struct, optional | Mounts a user volume
      name        | text, always, required | Name of the UserVolumeConfig document | "web-content"
      destination | text, always | Mount path in the container | "/data"
      options     | list(${mountOption}), default ro | Mount options
        = ["ro", "noexec"]
    tmpfs         | struct, optional | Mounts a tmpfs
      destination | text, always | Mount path in the container | "/data"
      size        | text | Size of the tmpfs | "64MiB"
      options     | list(${mountOption}), default rw | Mount options
        = ["ro", "noexec"]
    hostPath      | struct, optional | Mounts a path of the node
      source      | text, always | Absolute path on the host, which must exist | "/var/lib/example"
      destination | text, always | Mount path in the container | "/data"
      options     | list(${mountOption}), default ro | Mount options
        = ["ro", "noexec"]
  security        | struct, optional | Security settings
    profile       | words(restricted privileged), default restricted | Security profile
    capabilities  | struct, optional | Linux capabilities
      add         | list(text) | Capabilities to add, without CAP_ | ["NET_BIND_SERVICE"]
      drop        | list(text) | Capabilities to drop, or ALL | ["ALL"]
  network         | struct, optional | Network settings
    mode          | words(none host), default none | Network mode | "host"
  resources       | struct, optional | Resource settings
    limits        | struct, optional | Resource limits
      cpu         | text | CPU limit in millicores | "1500m"
      memory      | text | Memory limit | "512MiB"
  dependsOn       | struct, optional | Conditions to wait for before it starts
    paths         | list(text) | Paths on the node that must exist | ["/dev/ttyUSB0"]
    networks      | list(${networkCondition}) | Network conditions to wait for
      = ["addresses"]
    time          | boolean, optional, default false | Waits for time synchronization
    containers    | list(text) | Containers to wait for | ["database"]
`;

const reference =
  /^(?:[a-z0-9.-]+(?::\d+)?\/)?[a-z0-9._/-]+(?::[\w][\w.-]{0,127})?(@sha256:[0-9a-f]{64})?$/;

function* rules(document: Cursor): Iterable<Problem> {
  const name = document.get("name");
  if (!/^[a-z0-9-]{0,63}$/.test(name.text() ?? "")) {
    yield name.error(
      `Name "${name.text()}" is not valid`,
      "Use at most 63 lowercase letters, digits and hyphens",
    );
  }
  const image = document.get("image");
  const found = reference.exec(image.text() ?? "");
  if (found === null && image.text()) {
    yield image.error(
      `"${image.text()}" is not an image name`,
      "Write one such as docker.io/library/nginx:1.27",
    );
  } else if (found !== null && found[1] === undefined) {
    yield image.warning(
      `Image "${image.text()}" may change at the next start`,
      "Give its digest, @sha256:…",
    );
  }
  for (const item of document.get("environment").items()) {
    if (item.text()?.includes("=")) continue;
    yield item.error(`"${item.text()}" has no value`, "Write NAME=value");
  }
  yield* mountRules(document.get("mounts").items());
  yield* securityRules(document.get("security"));
  yield* resourceRules(document.get("resources", "limits"));
  yield* waitRules(document);
  for (const key of ["uid", "gid"]) {
    const number = document.get("runAs", key);
    if ((number.number() ?? 0) >= 0) continue;
    yield number.error(`"${key}" is negative`, "Give 0 or more");
  }
  yield* oneOf(document.get("network", "mode"), ["none", "host"]);
}

function* oneOf(given: Cursor, values: readonly string[]): Iterable<Problem> {
  const text = given.text() ?? "";
  if (text === "" || values.includes(text)) return;
  yield given.error(`"${text}" is not supported`, `Use ${values.join(", ")}`);
}

function* absolute(given: Cursor): Iterable<Problem> {
  const text = given.text() ?? "";
  if (text.startsWith("/")) return;
  yield given.error(
    text === "" ? "The path is missing" : `Path "${text}" is not absolute`,
    "Start it with /",
  );
}

function* mountRules(items: readonly Cursor[]): Iterable<Problem> {
  const taken = new Set<string>();
  for (const item of items) {
    const given = mountSources.filter((key) =>
      item.get(key).node !== undefined
    );
    const [kind = ""] = given;
    if (given.length !== 1) {
      yield item.error(
        `A mount has ${given.length === 0 ? "no source" : "several sources"}`,
        "Give one of userVolume, tmpfs and hostPath",
      );
      continue;
    }
    const source = item.get(kind);
    if (kind === "hostPath") yield* absolute(source.get("source"));
    const target = source.get("destination");
    yield* absolute(target);
    if (taken.has(target.text() ?? "")) {
      yield target.error(
        `Path "${target.text()}" appears twice`,
        "Give each mount its own path",
      );
    }
    taken.add(target.text() ?? "");
    const options = source.get("options").items();
    for (const option of options) yield* oneOf(option, mountOptions);
    const texts = options.map((option) => option.text());
    if (texts.includes("ro") && texts.includes("rw")) {
      yield source.get("options").error(
        'Both "ro" and "rw" are given',
        "Choose one of them",
      );
    }
  }
}

function* securityRules(security: Cursor): Iterable<Problem> {
  yield* oneOf(security.get("profile"), ["restricted", "privileged"]);
  const [add, drop] = ["add", "drop"].map((key) =>
    security.get("capabilities", key).items()
  );
  const dropped = new Set(drop?.map((item) => item.text()));
  for (const item of [...add ?? [], ...drop ?? []]) {
    const text = item.text() ?? "";
    const isAdded = add?.includes(item);
    if (text === "ALL" && !isAdded) continue;
    if (text === "ALL") {
      yield item.error("ALL cannot be added", 'Use the profile "privileged"');
    } else if (!/^(?!CAP_)[A-Z_]+$/.test(text)) {
      yield item.error(
        `"${text}" is not the name of a capability`,
        "Write it in upper case, without CAP_",
      );
    } else if (isAdded && dropped.has(text)) {
      yield item.error(
        `Capability "${text}" is both added and dropped`,
        "Choose one of them",
      );
    }
  }
}

function* resourceRules(limits: Cursor): Iterable<Problem> {
  const [cpu, memory] = [limits.get("cpu"), limits.get("memory")];
  if (cpu.text() && !/^0*[1-9]\d*m$/.test(cpu.text() ?? "")) {
    yield cpu.error(
      `"${cpu.text()}" is not a number of millicores`,
      "Write a positive number of millicores, such as 1500m",
    );
  }
  if (memory.text() && parseSize(memory.text() ?? "") === undefined) {
    yield memory.error(
      `"${memory.text()}" is not a size`,
      "Write a size such as 512MiB",
    );
  }
}

function* waitRules(document: Cursor): Iterable<Problem> {
  const waits = document.get("dependsOn");
  for (const path of waits.get("paths").items()) yield* absolute(path);
  for (const item of waits.get("networks").items()) {
    yield* oneOf(item, networkConditions);
  }
  for (const other of waits.get("containers").items()) {
    const text = other.text() ?? "";
    if (text !== "" && text !== document.get("name").text()) continue;
    yield other.error(
      text === ""
        ? "A container name is empty"
        : `Container "${text}" depends on itself`,
      "Remove it, or name another container",
    );
  }
}
