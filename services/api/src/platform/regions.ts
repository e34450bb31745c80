// Regions of the deployment, as shown to clients. Features without an engine behind them are reported as unavailable.
import type { Configuration, Location } from '@berth/contract';
import { describeIsolation, type PlacementConfig } from '@berth/instances';
import type { z } from 'zod';
import type { Region } from '../config.ts';
import type { RegionRunners } from './active-runners.ts';

type RunnersByRegion = ReadonlyMap<string, RegionRunners>;

type Located = Pick<Region, 'continent' | 'country' | 'location'>;

/** Fields that the operator left empty are left out. */
const placeFields = ({ continent, country, location }: Located) => ({
  ...(continent === '' ? {} : { continent }),
  ...(country === '' ? {} : { country }),
  ...(location === '' ? {} : { location }),
});

type RuncRule = PlacementConfig['runcFor'];

export const locationOf = (region: Region, runners: RunnersByRegion, runcFor: RuncRule): z.input<typeof Location> => ({
  region: region.name,
  ...placeFields(region),
  flavors: [{ name: 'x86', type: 'cpu' }],
  status: healthOf(runnersOf(region, runners)),
  isolation: describeIsolation(runnersOf(region, runners), runcFor),
});

function healthOf({ up, lost }: RegionRunners): string {
  if (up === 0) return 'no_runner';
  return lost > 0 ? 'degraded' : 'healthy';
}

const runnersOf = ({ name }: Region, runners: RunnersByRegion): RegionRunners =>
  runners.get(name) ?? { up: 0, lost: 0, withGvisor: 0 };

export const configurationOf = (
  regions: readonly Region[],
  runners: RunnersByRegion,
  runcFor: RuncRule,
): z.input<typeof Configuration> => ({
  regions: regions.map((region) => ({
    name: region.name,
    allowed: true,
    ...placeFields(region),
    drivesAvailable: false,
    // Addresses can be reserved, but no traffic uses them yet.
    egressAvailable: false,
    proxyAvailable: false,
    // `mk31` is the generation of sandboxes under gVisor.
    mk31Available: runnersOf(region, runners).withGvisor > 0,
    infoGeneration: describeIsolation(runnersOf(region, runners), runcFor),
  })),
  continents: named(
    regions.map(({ continent }) => continent),
    (code) => continentNames[code] ?? code,
  ),
  countries: named(
    regions.map(({ country }) => country),
    countryName,
  ),
  // The service does not determine where a caller is.
  detectedRegion: '',
  privateLocations: [],
});

/** Each code once, in the operator's spelling. */
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
