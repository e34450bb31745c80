// Computes the regions that the policies of a workload allow. Policies of one type add up, policies of different types
// must all agree; without a policy of a type everything of that type is allowed. Control-plane sheet 4.11.
import { z } from 'zod';
import type { Region } from '../config.ts';

export const PlacementPolicy = z.object({
  type: z.string().optional(),
  locations: z.array(z.object({ name: z.string().optional(), type: z.string().optional() })).default([]),
  flavors: z.array(z.object({ name: z.string().optional(), type: z.string().optional() })).default([]),
});
export type PlacementPolicy = z.infer<typeof PlacementPolicy> & { readonly name: string };

type Location = PlacementPolicy['locations'][number];
type Flavor = PlacementPolicy['flavors'][number];

/** The flavor that every runner offers today. */
const offered = { type: 'cpu', name: 'x86' } as const;

export interface AllowedRegions {
  readonly regions: readonly Region[];
  /** Names of the policies that excluded every region; empty when some are left. */
  readonly refusedBy: readonly string[];
}

/** `region` is the region that the workload itself names. */
export function allowedRegions(
  regions: readonly Region[],
  region: string | undefined,
  policies: readonly PlacementPolicy[],
): AllowedRegions {
  const named = region === undefined ? regions : [regions.find(({ name }) => name === region) ?? unknownRegion(region)];
  // A policy with an empty list restricts nothing.
  const location = policies.filter(({ type, locations }) => type === 'location' && locations.length > 0);
  const flavor = policies.filter(({ type, flavors }) => type === 'flavor' && flavors.length > 0);
  if (flavor.length > 0 && !flavor.some(({ flavors }) => flavors.some(isOffered))) {
    return { regions: [], refusedBy: flavor.map(({ name }) => name) };
  }
  if (location.length === 0) return { regions: named, refusedBy: [] };
  const left = named.filter((each) => location.some(({ locations }) => locations.some((place) => covers(place, each))));
  return { regions: left, refusedBy: left.length > 0 ? [] : location.map(({ name }) => name) };
}

/** A region that the operator has removed from the list since the workload was written. */
const unknownRegion = (name: string): Region => ({ name, continent: '', country: '' });

function covers({ type = 'location', name }: Location, region: Region): boolean {
  const places: Readonly<Record<string, string>> = {
    location: region.name,
    country: region.country,
    continent: region.continent,
  };
  return name !== undefined && name !== '' && places[type]?.toLowerCase() === name.toLowerCase();
}

const isOffered = ({ type = offered.type, name = offered.name }: Flavor): boolean =>
  type === offered.type && name === offered.name;
