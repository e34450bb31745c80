// The regions of the deployment as clients see them. Nothing is claimed that no engine stands behind yet.
import type { Configuration, Location } from '@berth/contract';
import type { z } from 'zod';
import type { Region } from '../config.ts';
import type { RegionRunners } from './standing-runners.ts';

type Standing = ReadonlyMap<string, RegionRunners>;

type Located = Pick<Region, 'continent' | 'country' | 'location'>;

/** What the operator left out is left out here. */
const place = ({ continent, country, location }: Located) => ({
  ...(continent === '' ? {} : { continent }),
  ...(country === '' ? {} : { country }),
  ...(location === '' ? {} : { location }),
});

export const locationOf = (region: Region, standing: Standing): z.input<typeof Location> => ({
  region: region.name,
  ...place(region),
  flavors: [{ name: 'x86', type: 'cpu' }],
  status: healthOf(standing.get(region.name)),
});

function healthOf(runners: RegionRunners | undefined): string {
  if (runners === undefined || runners.up === 0) return 'no_runner';
  return runners.lost > 0 ? 'degraded' : 'healthy';
}

/** How code of different tenants is kept apart there, said plainly. */
function isolationOf(runners: RegionRunners | undefined): string {
  if (runners === undefined || runners.up === 0)
    return 'No runner is registered, so how workloads are isolated is not known.';
  if (runners.withGvisor === 0) return 'Workloads share the kernel of their machine: no runner has gVisor.';
  if (runners.withGvisor < runners.up)
    return 'mk3 workloads run under gVisor, on the runners that have it; mk2 workloads share the kernel of their machine.';
  return 'mk3 workloads run under gVisor; mk2 workloads share the kernel of their machine.';
}

export const configurationOf = (regions: readonly Region[], standing: Standing): z.input<typeof Configuration> => ({
  regions: regions.map((region) => ({
    name: region.name,
    allowed: true,
    ...place(region),
    drivesAvailable: false,
    egressAvailable: region.egressPools.length > 0,
    proxyAvailable: false,
    mk31Available: false,
    infoGeneration: isolationOf(standing.get(region.name)),
  })),
  continents: named(
    regions.map(({ continent }) => continent),
    (code) => continentNames[code] ?? code,
  ),
  countries: named(
    regions.map(({ country }) => country),
    countryName,
  ),
  // Callers are not located.
  detectedRegion: '',
  privateLocations: [],
});

/** Each code once, as the operator wrote it. */
const named = (codes: readonly string[], displayName: (code: string) => string) =>
  [...new Set(codes)]
    .filter((code) => code !== '')
    .sort()
    .map((code) => ({ name: code, displayName: displayName(code.toUpperCase()) }));

const continentNames: Readonly<Record<string, string>> = {
  AF: 'Africa',
  AN: 'Antarctica',
  AS: 'Asia',
  EU: 'Europe',
  NA: 'North America',
  OC: 'Oceania',
  SA: 'South America',
};

const countries = new Intl.DisplayNames('en', { type: 'region' });

function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (countries.of(code) ?? code) : code;
}
