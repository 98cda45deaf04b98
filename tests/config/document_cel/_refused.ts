/** Expressions that a node of release 1.12 refuses, as its own checker says, and what we say. */

import type { ExpressionEnvironment } from "../../../config/document_cel/check.ts";

/** Expression, and below it the place of the fault, what is wrong, and behind an arrow what would be right. */
export const refused: Readonly<Record<ExpressionEnvironment, string>> = {
  disk: String.raw`
// only
^ Expression is empty
disk
^ Expression is disk, must be bool
disk.size
^ Expression is uint, must be bool -> Compare it with a value
disk.model
^ Expression is string, must be bool -> Compare it with a value
dyn(true)
^ Expression is dyn, must be bool -> Convert it with bool(…)
'true'
^ Expression is string, must be bool -> Compare it with a value
disk.size > 100
          ^ Operator ">" cannot take uint and int -> Write 100u
disk.size > 100 * GiB
                ^ Operator "*" cannot take int and uint -> Write 100u
disk.size > 100.5
          ^ Operator ">" cannot take uint and double -> Convert it with uint(…)
disk.size > '100GB'
          ^ Operator ">" cannot take uint and string
disk.size > 4 * 1024 + 1
          ^ Operator ">" cannot take uint and int -> Convert it with uint(…)
100 < disk.size
    ^ Operator "<" cannot take int and uint -> Write 100u
disk.size + 1 > 5u
          ^ Operator "+" cannot take uint and int -> Write 1u
disk.size > int(GB)
          ^ Operator ">" cannot take uint and int -> Convert it with uint(…)
disk.size > 100GB
               ^ Unexpected "GB" -> Write 100u * GB
disk.size > 100u * gb
                   ^ Unknown name "gb" -> Did you mean "GB"?
-disk.size < 0
      ^ Operand of "-" is uint, must be int or double -> Convert it with int(…)
!disk.size
      ^ Operand of "!" is uint, must be bool -> Compare it with a value
disk.size && true
     ^ Operand of "&&" is uint, must be bool -> Compare it with a value
1u < disk.size < 3u
               ^ Operator "<" cannot take bool and uint -> Compare it with a value
disks.size > 1u
^ Unknown name "disks" -> Did you mean "disk"?
Disk.size > 1u
^ Unknown name "Disk" -> Did you mean "disk"?
disk.sizee > 1u
     ^ Unknown field "sizee" of disk -> Did you mean "size"?
disk.Size > 1u
     ^ Unknown field "Size" of disk -> Did you mean "size"?
disk.label == 'x'
     ^ Unknown field "label" of disk -> Its fields are size, io_size, sector_size, readonly, rotational, cdrom, model, serial, modalias, wwid, bus_path, sub_system, transport, dev_path, pretty_size, uuid, secondary_disks, symlinks
disk['size'] > 1u
    ^ Cannot index disk with string
disk.size() > 1u
     ^ Function "size" of disk cannot take () -> It can be called as bytes.size(), list(dyn).size(), map(dyn, dyn).size(), string.size()
disk.model.size > 1
           ^ Unknown field "size": string has no fields
disk.model.foo == 1
           ^ Unknown field "foo": string has no fields
system_disk()
^ Unknown function "system_disk"
disk.transport == nvme
                  ^ Unknown name "nvme" -> Put strings in quotes
disk.transport = 'nvme'
               ^ Unexpected "=" -> Compare with "=="
disk.transport == 'nvme' and system_disk
                         ^ Unexpected "and" -> Write "&&" for and
not system_disk
    ^ Unexpected "system_disk" -> Write "!" for not
system_disk & true
            ^ Unexpected "&" -> Write "&&" for and
system_disk | true
            ^ Unexpected "|" -> Write "||" for or
disk.transport in ('a', 'b')
                      ^ Unexpected "," -> ")" is missing here
disk.transport in 'sata'
               ^ Operator "in" cannot search for string in string
disk.size in [1, 2]
          ^ Operator "in" cannot search for uint in list(int) -> Convert it with int(…)
'a' in disk
    ^ Operator "in" cannot search for string in disk
disk.transport in [1]
               ^ Operator "in" cannot search for string in list(int)
disk.rotational == 'false'
                ^ Operator "==" cannot take bool and string -> Compare it with a value
disk.model == null
           ^ Operator "==" cannot take string and null
glob('sd*')
^ Function "glob" cannot take (string) -> It can be called as glob(string, string)
glob('sd*', disk.size)
^ Function "glob" cannot take (string, uint) -> It can be called as glob(string, string)
glob('sd*', disk.dev_path,)
                          ^ Unexpected ")" -> Remove the last comma
globb('a', 'b')
^ Unknown function "globb" -> Did you mean "glob"?
disk.model.glob('a')
           ^ Function "glob" of string cannot take (string) -> Write glob(…)
contains(disk.model, 'a')
^ Function "contains" cannot take (string, string) -> Write value.contains(…)
mac(b'a') == ''
^ Unknown function "mac" -> It is available in link selectors, not in disk selectors
disk.model.charAt(0) == 'a'
           ^ Unknown function "charAt"
disk.symlinks.existsOne(s, s == 'a')
              ^ Unknown function "existsOne" -> Did you mean "exists_one"?
disk.symlinks.exists(s == 'a')
              ^ Unknown function "exists"
disk.symlinks.exists(s, s)
                        ^ Condition of "exists" is string, must be bool -> Compare it with a value
disk.symlinks.exists('s', true)
                     ^ First argument of "exists" must be a name -> Write exists(x, …) and use x
disk.symlinks.filter(s, s.size()) == []
                          ^ Condition of "filter" is int, must be bool -> Compare it with a value
disk.model.exists(c, true)
     ^ Cannot iterate over string
disk.symlinks[0u] == 'a'
             ^ Cannot index list(string) with uint -> Write 0
has(disk)
    ^ Macro "has" takes a field -> Write has(record.field)
has(disk.sizee)
         ^ Unknown field "sizee" of disk -> Did you mean "size"?
disk.?model == 'a'
     ^ Optional values ("?") are not supported here
optional.of(1).hasValue()
^ Unknown name "optional" -> Put strings in quotes
true ? true ? true : false : false
            ^ Unexpected "?" -> Put the inner conditional in parentheses
system_disk ? 1u : 1
            ^ Branches are uint and int, must have the same type -> Write 1u
disk.size ? true : false
     ^ Condition before "?" is uint, must be bool -> Compare it with a value
(system_disk
            ^ Expression is incomplete -> ")" is missing at its end
system_disk)
           ^ Unexpected ")"
system_disk &&
              ^ Expression is incomplete -> A value is missing at its end
&& system_disk
^ Unexpected "&&" -> A value is missing before "&&"
system_disk disk.cdrom
            ^ Unexpected "disk"
"a == disk.model
^ String is not closed -> Close it with "
disk.model == '\d'
               ^ Unknown escape "\d" -> Write "\\" for a backslash, or r before the quotes
disk.model == '\ud800'
               ^ Escape "\ud800" is not a valid character
“a” == disk.model
^ Unexpected "“" -> Use straight quotes, " or '
disk.size > 18446744073709551616u
            ^ Number 18446744073709551616u is out of range -> Numbers with u range from 0 to 18446744073709551615
disk.size > 9223372036854775808
            ^ Number 9223372036854775808 is out of range -> Numbers without u range from -9223372036854775808 to 9223372036854775807
for == 1
^ "for" is a reserved word
disk.in
     ^ Unexpected "in" -> A name is missing after the dot
-!system_disk
 ^ Unexpected "!"
google == 1
^ Unknown name "google" -> Put strings in quotes
`,
  volume: String.raw`
glob('a', volume.name)
^ Unknown function "glob" -> It is available in disk selectors, not in volume selectors
volume.partition_index == 1
                       ^ Operator "==" cannot take uint and int -> Write 1u
volume.filesystem == 'xfs'
       ^ Unknown field "filesystem" of volume -> Did you mean "filesystem_block_size"?
system_disk
^ Unknown name "system_disk" -> It is available in disk selectors, not in volume selectors
`,
  link: String.raw`
link.hardware_addr == '00:1a:2b:3c:4d:5e'
                   ^ Operator "==" cannot take bytes and string
mac(link.alias) == ''
^ Function "mac" cannot take (string) -> It can be called as mac(bytes)
link.mtu > 1u * KiB
                ^ Unknown name "KiB" -> It is available in disk selectors, not in link selectors
link.vlan.id == 1u
          ^ Unknown field "id" of vlan -> Did you mean "vid"?
link.speed_megabits > 1000u
                    ^ Operator ">" cannot take int and uint -> Write 1000
`,
  "oom-trigger": String.raw`
memory_full_avg10 > 75
                  ^ Operator ">" cannot take double and int -> Write 75.0
memory_full_avg10
^ Expression is double, must be bool -> Compare it with a value
time_since_trigger > 10
                   ^ Operator ">" cannot take duration and int
time_since_trigger > '10s'
                   ^ Operator ">" cannot take duration and string -> Convert it with duration(…)
time_since_trigger > duration(10)
                     ^ Function "duration" cannot take (int) -> It can be called as duration(duration), duration(string)
multiply_qos_vectors(qos_memory_full_avg10, {System: 1}) > 1.0
^ Function "multiply_qos_vectors" cannot take (map(int, double), map(int, int)) -> It can be called as multiply_qos_vectors(map(dyn, double), map(dyn, double))
qos_memory_current['System'] > 1.0
                  ^ Cannot index map(int, double) with string
qos_memory_current[?System] > 1.0
                            ^ Operator ">" cannot take optional(double) and double -> Unwrap the value with orValue(…)
memory_max.hasValue()
^ Unknown name "memory_max" -> It is available in ranking expressions, not in trigger expressions
`,
  "oom-ranking": String.raw`
1
^ Expression is int, must be double -> Write 1.0
class
^ Expression is int, must be double -> Convert it with double(…)
class == System
^ Expression is bool, must be double
memory_max.orValue(0)
           ^ Function "orValue" of optional(uint) cannot take (int) -> It can be called as optional(dyn).orValue(uint)
double(memory_max)
^ Function "double" cannot take (optional(uint)) -> It can be called as double(double), double(int), double(string), double(uint)
memory_max > 5u ? 1.0 : 0.0
           ^ Operator ">" cannot take optional(uint) and uint -> Unwrap the value with orValue(…)
class == System ? 1.0 : 0
                ^ Branches are double and int, must have the same type -> Write 0.0
{System: 1}[class] * 2.0
                   ^ Operator "*" cannot take int and double -> Write 2
'1.5'
^ Expression is string, must be double
clas == System ? 1.0 : 0.0
^ Unknown name "clas" -> Did you mean "class"?
memory_max.map(m, m)[0]
^ Cannot iterate over optional(uint) -> Unwrap the value with orValue(…)
[?1][0] * 1.0
  ^ Element is int, must be optional -> Remove the "?"
`,
};
