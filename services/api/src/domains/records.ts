// The DNS records that prove ownership of a domain and point it to this deployment, and the check of the records found.
// Control-plane sheet 4.11.

interface RecordInput {
  readonly domain: string;
  readonly region: string;
  readonly token: string;
  /** The short brand. */
  readonly brand: string;
  readonly workloadDomain: string;
}

export interface DomainRecords {
  readonly cnameRecords: string;
  readonly txtRecords: Readonly<Record<string, string>>;
}

export const recordsFor = ({ domain, region, token, brand, workloadDomain }: RecordInput): DomainRecords => ({
  cnameRecords: `${region}.cname.${workloadDomain}`,
  txtRecords: { [`_${brand}-verify.${domain}`]: `${brand}-domain-verify=${token}` },
});

export interface FoundRecords {
  /** Values by the name of the TXT record. */
  readonly txt: ReadonlyMap<string, readonly string[]>;
  /** CNAME targets of the domain and of a name below it. */
  readonly cname: readonly string[];
}

const sameHost = (one: string, other: string): boolean =>
  one.toLowerCase().replace(/\.$/, '') === other.toLowerCase().replace(/\.$/, '');

/** The records still to be set, as sentences; empty when the domain is proven. */
export function missingRecords(domain: string, expected: DomainRecords, found: FoundRecords): string[] {
  const txt = Object.entries(expected.txtRecords)
    .filter(([name, value]) => !(found.txt.get(name) ?? []).includes(value))
    .map(([name, value]) => `The TXT record ${name} is missing. Set it to ${value}.`);
  const hasCname = found.cname.some((target) => sameHost(target, expected.cnameRecords));
  const cname = hasCname
    ? []
    : [`The CNAME record of ${domain} or *.${domain} is missing. Set it to ${expected.cnameRecords}.`];
  return [...txt, ...cname];
}

/** Parent domains, nearest first, without the top-level domain. */
export function domainsAbove(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(1, -1).map((_, index) => labels.slice(index + 1).join('.'));
}
