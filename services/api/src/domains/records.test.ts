import { expect, test } from 'vitest';
import { domainsAbove, missingRecords, recordsFor } from './records.ts';

const expected = recordsFor({
  domain: 'a.example.com',
  region: 'one',
  token: 'abc',
  brand: 'service',
  workloadDomain: 'run.example',
});
const txt = new Map([['_service-verify.a.example.com', ['other', 'service-domain-verify=abc']]]);

test('no record is missing when the TXT and CNAME records exist, in any letter case', () => {
  expect(missingRecords('a.example.com', expected, { txt, cname: ['One.CNAME.run.example.'] })).toEqual([]);
});

test('each missing record is named with the value to set', () => {
  expect(missingRecords('a.example.com', expected, { txt: new Map(), cname: ['elsewhere.example'] })).toEqual([
    'The TXT record _service-verify.a.example.com is missing. Set it to service-domain-verify=abc.',
    'The CNAME record of a.example.com or *.a.example.com is missing. Set it to one.cname.run.example.',
  ]);
});

test('the parent domains of a domain end before the top-level domain', () => {
  expect(domainsAbove('a.b.example.com')).toEqual(['b.example.com', 'example.com']);
  expect(domainsAbove('example.com')).toEqual([]);
});
