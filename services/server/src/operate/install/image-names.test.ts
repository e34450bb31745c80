import { expect, test } from 'vitest';
import { imageNames, neededImages, parseImagesFile } from './image-names.ts';

test('a file of images replaces the names that it lists and no others', () => {
  const others = parseImagesFile('# ours\nBERTH_CADDY_IMAGE=registry.example:5000/caddy:2.11\n\n', 'images.env');
  const names = imageNames('1.2.3', others);
  expect(names.BERTH_CADDY_IMAGE).toBe('registry.example:5000/caddy:2.11');
  expect(names.BERTH_CONTROL_IMAGE).toBe('berth:1.2.3');
  expect(names.BERTH_POSTGRES_IMAGE).toBe('postgres:18');
});

test('a line that names no image is refused with the names that exist', () => {
  expect(() => parseImagesFile('BERTH_CADY_IMAGE=x', 'images.env')).toThrow('images.env holds a line');
  expect(() => parseImagesFile('BERTH_CADDY_IMAGE=$(reboot)', 'images.env')).toThrow('BERTH_CADDY_IMAGE');
});

test('an installation without logs needs no ClickHouse', () => {
  const names = imageNames('1.2.3', {});
  expect(neededImages(names, true)).toHaveLength(6);
  expect(neededImages(names, false)).not.toContain(names.BERTH_CLICKHOUSE_IMAGE);
});
