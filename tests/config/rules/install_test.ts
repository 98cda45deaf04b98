import { installRules } from "../../../config/rules/install.ts";
import { testRules } from "./_rules.ts";

testRules("installRules", installRules, [
  ["takes a disk", "machine: {install: {disk: /dev/sda}}", []],
  [
    "takes a selector",
    "machine: {install: {diskSelector: {type: nvme, size: '>= 100GB'}}}",
    [],
  ],
  ["takes an empty selector", "machine: {install: {diskSelector: {}}}", []],
  ["wants install on metal", "machine: {}", [
    'error machine.install: "machine.install" is missing, which mode "metal" needs',
  ]],
  ["does not want install elsewhere", "machine: {}", [], "cloud"],
  ["wants a disk on metal", "machine: {install: {disk: ''}}", [
    'error machine.install: Mode "metal" needs a disk to install to',
  ]],
  ["does not want a disk elsewhere", "machine: {install: {}}", [], "container"],
  [
    "refuses what selects nothing",
    "machine: {install: {diskSelector: {name: sda, type: tape}}}",
    [
      'error machine.install.diskSelector.name: Disks cannot be selected by name "sda"',
      'error machine.install.diskSelector.type: Disk type "tape" does not exist',
    ],
  ],
  [
    "looks at selectors on metal only",
    "machine: {install: {diskSelector: {name: sda}}}",
    [],
    "metal-agent",
  ],
  [
    "refuses a size in every mode",
    "machine: {install: {diskSelector: {size: '=> 4GB'}}}",
    [
      'error machine.install.diskSelector.size: Disk size "=> 4GB" is not valid',
    ],
    "cloud",
  ],
  [
    "refuses kernel arguments that have no effect",
    "machine: {install: {disk: x, extraKernelArgs: [a], grubUseUKICmdline: true}}",
    [
      "error machine.install.extraKernelArgs: extraKernelArgs has no effect while grubUseUKICmdline is true",
    ],
  ],
  [
    "takes kernel arguments that have one",
    "machine: {install: {disk: x, extraKernelArgs: [a], grubUseUKICmdline: false}}",
    [],
  ],
  [
    "takes an empty list of kernel arguments",
    "machine: {install: {disk: x, extraKernelArgs: [], grubUseUKICmdline: true}}",
    [],
  ],
  [
    "warns of extensions and refuses doubles",
    "machine: {install: {disk: x, extensions: [{image: a}, {image: b}, {image: a}]}}",
    [
      'error machine.install.extensions[2].image: System extension "a" is listed twice',
      "warning machine.install.extensions: Extensions in the configuration are deprecated",
    ],
  ],
  [
    "does not warn of an empty list of extensions",
    "machine: {install: {disk: x, extensions: []}}",
    [],
  ],
]);
