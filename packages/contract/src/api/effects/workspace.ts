import { enforced, type FieldEffect } from './effect.ts';

const kept = 'services/api/test/people-workspaces.test.ts';

/** Settings of a workspace. A workspace is not a kind: its fields are at the top level of the body. */
export const workspaceEffects: readonly FieldEffect[] = [
  enforced(
    `${kept}: a PUT replaces the settings it contains and keeps the others; the name and the region never change`,
    'name',
    'displayName',
    'labels',
    'region',
  ),
  {
    effect: 'refused',
    paths: ['groupMappings'],
    reason:
      'there is no directory to take groups from, so nobody would get a role. Leave it out, and invite people with POST /users.',
  },
  {
    effect: 'refused',
    paths: ['runtime.generation'],
    // Generation of every workload that names none.
    harmless: ['mk3'],
    reason:
      'a workspace has no default generation but mk3. Leave it out, and set spec.runtime.generation of the workload.',
  },
  {
    effect: 'refused',
    paths: ['runtime.sandbox.disableProcessLogging'],
    harmless: [false],
    reason:
      'the logging of processes cannot be switched off for a workspace. Leave it out, and do not write to the output what must not be kept.',
  },
];
