/** Header tables of HPACK (RFC 7541, 2.3). */

/** One header field: name in lower case, and value. */
export type HeaderField = readonly [name: string, value: string];

/** Fields of the static table (RFC 7541, appendix A); the first has index 1. */
const names =
  ":authority,:method=GET,:method=POST,:path=/,:path=/index.html,:scheme=http,:scheme=https,:status=200,:status=204,:status=206,:status=304,:status=400,:status=404,:status=500,accept-charset,accept-encoding=gzip, deflate,accept-language,accept-ranges,accept,access-control-allow-origin,age,allow,authorization,cache-control,content-disposition,content-encoding,content-language,content-length,content-location,content-range,content-type,cookie,date,etag,expect,expires,from,host,if-match,if-modified-since,if-none-match,if-range,if-unmodified-since,last-modified,link,location,max-forwards,proxy-authenticate,proxy-authorization,range,referer,refresh,retry-after,server,set-cookie,strict-transport-security,transfer-encoding,user-agent,vary,via,www-authenticate";

/** The static table; the first field has index 1. */
export const staticTable: readonly HeaderField[] = names
  .split(/,(?! )/)
  .map((field) => {
    const [, name = "", value = ""] = /^(:?[^=]+)=?(.*)$/.exec(field)!; // matches every entry
    return [name, value];
  });

/** Overhead of each field in bytes (RFC 7541, 4.1). */
const fieldOverhead = 32;

/** Size of a field as counted by tables and limits. `field`: name and value, one character per byte. */
export function fieldSize([name, value]: HeaderField): number {
  return name.length + value.length + fieldOverhead;
}

/** Dynamic table, newest entry first. */
export class DynamicTable {
  // Oldest first, since inserting at the front of an array is slow.
  #fields: HeaderField[] = [];
  #first = 0;
  #size = 0;
  #capacity: number;

  /** Creates an empty table. `capacity`: in bytes, as counted by {@linkcode fieldSize}. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Returns a field. `index`: 0 for the newest. */
  at(index: number): HeaderField | undefined {
    const place = this.#fields.length - 1 - index;
    return place < this.#first ? undefined : this.#fields[place];
  }

  /** Adds a field and evicts older ones; a field that is too large empties the table. */
  add(field: HeaderField): void {
    this.#fields.push(field);
    this.#size += fieldSize(field);
    this.#evict();
  }

  /** Changes the capacity, in bytes. */
  resize(capacity: number): void {
    this.#capacity = capacity;
    this.#evict();
  }

  #evict(): void {
    while (this.#size > this.#capacity) {
      this.#size -= fieldSize(this.#fields[this.#first++]!); // not empty if the size is not 0
    }
    if (this.#first < 64 || this.#first * 2 < this.#fields.length) return;
    this.#fields = this.#fields.slice(this.#first);
    this.#first = 0;
  }
}
