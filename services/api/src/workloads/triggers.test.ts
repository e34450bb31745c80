import fc from 'fast-check';
import { expect, test } from 'vitest';
import { completeTriggers, uniqueIds } from './triggers.ts';

const id = fc.stringMatching(/^[\w.-]{1,63}$/);
const wanted = fc.array(
  fc.record({ id: fc.option(id, { nil: undefined }), type: fc.constantFrom('http', 'http-async', 'cron') }),
  { maxLength: 100 },
);

test('ids are unique and fit, and the first trigger that asks for an id gets it', () => {
  fc.assert(
    fc.property(wanted, (triggers) => {
      const ids = uniqueIds(triggers);
      expect(new Set(ids).size).toBe(triggers.length);
      expect(ids.every((one) => one.length <= 63)).toBe(true);
      const first = triggers.findIndex((trigger) => trigger.id !== undefined);
      if (first >= 0) expect(ids[first]).toBe(triggers[first]?.id);
    }),
  );
});

test('the same triggers get the same ids again, whether or not the ids are sent back', () => {
  fc.assert(
    fc.property(wanted, (triggers) => {
      const ids = uniqueIds(triggers);
      expect(uniqueIds(triggers)).toEqual(ids);
      expect(uniqueIds(triggers.map(({ type }, index) => ({ type, id: ids[index] })))).toEqual(ids);
    }),
  );
});

test('a trigger has a secret exactly when it has a callback URL, and a stored secret stays', () => {
  const configuration = fc.record({ callbackUrl: fc.option(fc.webUrl(), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(fc.record({ type: fc.constant('http'), configuration }), { maxLength: 20 }), (triggers) => {
      const made: string[] = [];
      const completed = completeTriggers({ triggers }, {}, () => {
        made.push(`secret ${made.length}`);
        return made.at(-1) ?? '';
      });
      expect(made.length).toBe(triggers.filter((trigger) => trigger.configuration.callbackUrl !== undefined).length);
      expect(
        completeTriggers({ triggers }, completed, () => {
          throw new Error('a secret was made again');
        }),
      ).toEqual(completed);
    }),
  );
});
