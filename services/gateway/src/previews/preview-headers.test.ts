import { defaultBrand } from '@berth/contract';
import { expect, test } from 'vitest';
import { mergeHeaders, setHeaders } from '../http/header-map.ts';
import { previewAnswerHeaders } from './preview-headers.ts';

const preview = {
  uid: 'p',
  name: 'p',
  sandboxUid: 's',
  port: 3000,
  isPublic: true,
  customDomain: undefined,
  requestHeaders: { 'X-Own': 'new' },
  responseHeaders: { 'access-control-allow-origin': 'https://page.example' },
  endsInMs: undefined,
  tokens: new Map(),
};

test('a header that is set occurs once, whatever its case and number were before', () => {
  expect(setHeaders(['A', '1', 'x-own', 'a', 'X-OWN', 'b', 'A', '2'], { 'X-Own': 'new' })).toEqual([
    'A',
    '1',
    'A',
    '2',
    'X-Own',
    'new',
  ]);
  expect(mergeHeaders({ 'content-type': 'a', B: 'b' }, { 'Content-Type': 'c' })).toEqual({
    B: 'b',
    'Content-Type': 'c',
  });
});

test('pages of every origin may read the API unless the preview says otherwise; an app decides itself', () => {
  expect(previewAnswerHeaders(preview, defaultBrand)).toEqual(preview.responseHeaders);
  const api = previewAnswerHeaders({ ...preview, port: undefined }, defaultBrand);
  expect(api).toMatchObject(preview.responseHeaders);
  expect(api).not.toHaveProperty('Access-Control-Allow-Origin');
  expect(api['Access-Control-Allow-Headers']).toContain('X-Service-Preview-Token');
});
