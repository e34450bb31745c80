import { expect, test } from 'vitest';
import { csvLine, csvText } from './csv.ts';

test('cells with commas, quotes and line ends are quoted, others are not, and lines end as RFC 4180 says', () => {
  expect(csvLine(['a', '', 'b,c', 'd "e"', 'f\ng', 'h\ri', '-0.5'])).toBe('a,,"b,c","d ""e""","f\ng","h\ri",-0.5\r\n');
});

test.each(['=1+1', '+1', '-1', '@sum', '\tx', '\rx'])('the text %j is no formula in a spreadsheet', (text) => {
  expect(csvText(text)).toBe(`'${text}`);
});

test.each(['a', "'=1", ' =1', '1-2', ''])('the text %j stays as it is', (text) => {
  expect(csvText(text)).toBe(text);
});
