import { timeSync } from "../../../../config/documents/network/time_sync.ts";
import { testRules } from "../_rules.ts";

testRules(timeSync, [
  {
    title: "one source of time is fine",
    value: { bootTimeout: "0s", ntp: { servers: ["a"] }, ptp: null },
    problems: [],
  },
  {
    title: "two sources of time are refused, even empty ones",
    value: { ntp: {}, ptp: { devices: ["/dev/ptp0"] } },
    problems: ['ptp: Both "ntp" and "ptp" are given'],
  },
  {
    title: "booting does not wait for a negative time",
    value: { bootTimeout: "-2m" },
    problems: ['bootTimeout: Time "-2m" is negative'],
  },
]);
