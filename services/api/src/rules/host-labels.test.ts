import { uuidv7 } from '@berth/database';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostLabels } from './host-labels.ts';

const label = (longest: number) => fc.stringMatching(new RegExp(`^[a-z0-9]([a-z0-9-]{0,${longest - 2}}[a-z0-9])?$`));

test('every workload has a DNS label that fits, and the readable one comes first when it does', () => {
  fc.assert(
    fc.property(label(49), label(32), (name, workspaceName) => {
      const workspace = { id: uuidv7(), name: workspaceName };
      const labels = hostLabels('sbx', { name, uid: uuidv7(), workspace });
      expect(labels.length).toBeGreaterThanOrEqual(2);
      fc.pre(!/-[0-9a-f]{8}$/.test(`-${workspaceName}`));
      for (const one of labels) expect(one).toMatch(/^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/);
      const readable = `sbx-${name}-${workspaceName}`;
      expect(labels[0]).toBe(readable.length <= 63 ? readable : `sbx-${name}-${workspace.id.slice(-8)}`);
    }),
  );
});

test('workspaces created at the same moment have different short ids', () => {
  const now = Date.now();
  const of = (id: string) =>
    hostLabels('agt', { name: 'n'.repeat(49), uid: uuidv7(now), workspace: { id, name: 'w'.repeat(32) } })[0];
  expect(of(uuidv7(now))).not.toBe(of(uuidv7(now)));
});

test('a workspace named like the short id of another gets no label that the other could have', () => {
  const workspace = { id: uuidv7(), name: 'cafe0123' };
  const victim = { id: '01900000-0000-7000-8000-0000cafe0123', name: 'victim' };
  const own = hostLabels('agt', { name: 'shop', uid: uuidv7(), workspace });
  const theirs = hostLabels('agt', { name: 'shop', uid: uuidv7(), workspace: victim });
  expect(theirs).toContain('agt-shop-cafe0123');
  expect(own.filter((label) => theirs.includes(label))).toEqual([]);
});
