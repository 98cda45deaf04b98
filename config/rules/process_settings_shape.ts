/** Which values the settings of a container have (OCI runtime specification, the parts Linux has). */

/** A value without parts. */
export type LeafShape = "text" | "truth" | `${"i" | "u"}${16 | 32 | 64}`;

/** What a value may be; keys that are not listed may hold anything. */
export type SpecShape =
  | LeafShape
  | { readonly list: SpecShape }
  | { readonly map: SpecShape }
  | { readonly keys: { readonly [key: string]: SpecShape } };

const texts: SpecShape = { list: "text" };
const textMap: SpecShape = { map: "text" };

const idMappings: SpecShape = {
  list: { keys: { containerID: "u32", hostID: "u32", size: "u32" } },
};

const hooks: SpecShape = {
  list: { keys: { path: "text", args: texts, env: texts, timeout: "i64" } },
};

const deviceWeights: SpecShape = {
  list: {
    keys: { major: "i64", minor: "i64", weight: "u16", leafWeight: "u16" },
  },
};

const deviceRates: SpecShape = {
  list: { keys: { major: "i64", minor: "i64", rate: "u64" } },
};

const process: SpecShape = {
  keys: {
    terminal: "truth",
    consoleSize: { keys: { height: "u64", width: "u64" } },
    user: {
      keys: {
        uid: "u32",
        gid: "u32",
        umask: "u32",
        additionalGids: { list: "u32" },
        username: "text",
      },
    },
    args: texts,
    commandLine: "text",
    env: texts,
    cwd: "text",
    capabilities: {
      keys: {
        bounding: texts,
        effective: texts,
        inheritable: texts,
        permitted: texts,
        ambient: texts,
      },
    },
    rlimits: { list: { keys: { type: "text", hard: "u64", soft: "u64" } } },
    noNewPrivileges: "truth",
    apparmorProfile: "text",
    oomScoreAdj: "i64",
    scheduler: {
      keys: {
        policy: "text",
        nice: "i32",
        priority: "i32",
        flags: texts,
        runtime: "u64",
        deadline: "u64",
        period: "u64",
      },
    },
    selinuxLabel: "text",
    ioPriority: { keys: { class: "text", priority: "i64" } },
    execCPUAffinity: { keys: { initial: "text", final: "text" } },
  },
};

const resources: SpecShape = {
  keys: {
    devices: {
      list: {
        keys: {
          allow: "truth",
          type: "text",
          major: "i64",
          minor: "i64",
          access: "text",
        },
      },
    },
    memory: {
      keys: {
        limit: "i64",
        reservation: "i64",
        swap: "i64",
        kernel: "i64",
        kernelTCP: "i64",
        swappiness: "u64",
        disableOOMKiller: "truth",
        useHierarchy: "truth",
        checkBeforeUpdate: "truth",
      },
    },
    cpu: {
      keys: {
        shares: "u64",
        quota: "i64",
        burst: "u64",
        period: "u64",
        realtimeRuntime: "i64",
        realtimePeriod: "u64",
        cpus: "text",
        mems: "text",
        idle: "i64",
      },
    },
    pids: { keys: { limit: "i64" } },
    blockIO: {
      keys: {
        weight: "u16",
        leafWeight: "u16",
        weightDevice: deviceWeights,
        throttleReadBpsDevice: deviceRates,
        throttleWriteBpsDevice: deviceRates,
        throttleReadIOPSDevice: deviceRates,
        throttleWriteIOPSDevice: deviceRates,
      },
    },
    hugepageLimits: { list: { keys: { pageSize: "text", limit: "u64" } } },
    network: {
      keys: {
        classID: "u32",
        priorities: { list: { keys: { name: "text", priority: "u32" } } },
      },
    },
    rdma: { map: { keys: { hcaHandles: "u32", hcaObjects: "u32" } } },
    unified: textMap,
  },
};

const seccomp: SpecShape = {
  keys: {
    defaultAction: "text",
    defaultErrnoRet: "u64",
    architectures: texts,
    flags: texts,
    listenerPath: "text",
    listenerMetadata: "text",
    syscalls: {
      list: {
        keys: {
          names: texts,
          action: "text",
          errnoRet: "u64",
          args: {
            list: {
              keys: { index: "u64", value: "u64", valueTwo: "u64", op: "text" },
            },
          },
        },
      },
    },
  },
};

const linux: SpecShape = {
  keys: {
    uidMappings: idMappings,
    gidMappings: idMappings,
    sysctl: textMap,
    resources,
    cgroupsPath: "text",
    namespaces: { list: { keys: { type: "text", path: "text" } } },
    devices: {
      list: {
        keys: {
          path: "text",
          type: "text",
          major: "i64",
          minor: "i64",
          fileMode: "u32",
          uid: "u32",
          gid: "u32",
        },
      },
    },
    netDevices: { map: { keys: { name: "text" } } },
    seccomp,
    rootfsPropagation: "text",
    maskedPaths: texts,
    readonlyPaths: texts,
    mountLabel: "text",
    intelRdt: {
      keys: {
        closID: "text",
        schemata: texts,
        l3CacheSchema: "text",
        memBwSchema: "text",
        enableMonitoring: "truth",
      },
    },
    memoryPolicy: { keys: { mode: "text", nodes: "text", flags: texts } },
    personality: { keys: { domain: "text", flags: texts } },
    timeOffsets: { map: { keys: { secs: "i64", nanosecs: "u32" } } },
  },
};

/** Settings of a container. */
export const runtimeSpec: SpecShape = {
  keys: {
    ociVersion: "text",
    process,
    root: { keys: { path: "text", readonly: "truth" } },
    hostname: "text",
    domainname: "text",
    mounts: {
      list: {
        keys: {
          destination: "text",
          type: "text",
          source: "text",
          options: texts,
          uidMappings: idMappings,
          gidMappings: idMappings,
        },
      },
    },
    hooks: {
      keys: {
        prestart: hooks,
        createRuntime: hooks,
        createContainer: hooks,
        startContainer: hooks,
        poststart: hooks,
        poststop: hooks,
      },
    },
    annotations: textMap,
    linux,
  },
};
