import { bondRules } from "../../../config/rules/bond.ts";
import { testRules } from "./_rules.ts";

testRules("bondRules", (root) => bondRules(root.get("b")), [
  ["takes no bond", "b: ~", []],
  ["takes the default mode", "b: {packetsPerSlave: 2}", []],
  [
    "takes 802.3ad",
    "b: {mode: 802.3ad, lacpRate: fast, adActorSysPrio: 1, adUserPortKey: 1, xmitHashPolicy: layer3+4}",
    [],
  ],
  [
    "takes balance-tlb",
    "b: {mode: balance-tlb, primary: eth0, tlbDynamicLb: 1}",
    [],
  ],
  [
    "takes a monitor of addresses",
    "b: {mode: active-backup, primary: eth0, arpValidate: all, arpInterval: 100}",
    [],
  ],
  ["takes zeros", "b: {adActorSysPrio: 0, tlbDynamicLb: 0, updelay: 0}", []],
  [
    "refuses words that do not exist",
    "b: {xmitHashPolicy: a, arpValidate: b, arpAllTargets: c, primaryReselect: d, failOverMac: e, adSelect: f}",
    [
      'error b.xmitHashPolicy: "a" is not a valid value for xmitHashPolicy',
      'error b.arpValidate: "b" is not a valid value for arpValidate',
      'error b.arpAllTargets: "c" is not a valid value for arpAllTargets',
      'error b.primaryReselect: "d" is not a valid value for primaryReselect',
      'error b.failOverMac: "e" is not a valid value for failOverMac',
      'error b.adSelect: "f" is not a valid value for adSelect',
    ],
  ],
  ["refuses an unknown mode once", "b: {mode: lacp, lacpRate: fast}", [
    'error b.mode: "lacp" is not a valid value for mode',
  ]],
  [
    "refuses settings of 802.3ad in other modes",
    "b: {lacpRate: fast, adActorSysPrio: 1, adUserPortKey: 2}",
    [
      'error b.lacpRate: lacpRate fast has no effect in bond mode "balance-rr"',
      'error b.adActorSysPrio: adActorSysPrio 1 has no effect in bond mode "balance-rr"',
      'error b.adUserPortKey: adUserPortKey 2 has no effect in bond mode "balance-rr"',
    ],
  ],
  [
    "refuses settings of other modes in 802.3ad",
    "b: {mode: 802.3ad, arpValidate: none, arpInterval: 1, primary: eth0, packetsPerSlave: 2, tlbDynamicLb: 1}",
    [
      'error b.arpValidate: arpValidate none has no effect in bond mode "802.3ad"',
      'error b.arpInterval: arpInterval 1 has no effect in bond mode "802.3ad"',
      'error b.primary: primary eth0 has no effect in bond mode "802.3ad"',
      'error b.packetsPerSlave: packetsPerSlave 2 has no effect in bond mode "802.3ad"',
      'error b.tlbDynamicLb: tlbDynamicLb 1 has no effect in bond mode "802.3ad"',
    ],
  ],
  ["takes multiples", "b: {miimon: 100, updelay: 200, downdelay: 100}", []],
  ["wants miimon for delays", "b: {updelay: 200, downdelay: 100}", [
    "error b.updelay: updelay 200 is given without miimon",
    "error b.downdelay: downdelay 100 is given without miimon",
  ]],
  ["wants multiples", "b: {miimon: 100, updelay: 150, downdelay: 50}", [
    "error b.updelay: updelay 150 is not a multiple of miimon 100",
    "error b.downdelay: downdelay 50 is not a multiple of miimon 100",
  ]],
  [
    "refuses what nodes do not support",
    "b: {arpIPTarget: [10.0.0.1, 10.0.0.2], adActorSystem: '00:00:00:00:00:01'}",
    [
      "error b.arpIPTarget: Nodes do not support arpIPTarget",
      "error b.adActorSystem: Nodes do not support adActorSystem",
    ],
  ],
]);
