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

const common = { version: '1.2.3', broughtImages: [], hasShownKey: false };
const choices = {
  ...{ email: 'a@example.com', address: '192.0.2.7', hasAcmeRoot: false, hasWildcard: false, takesRunners: false },
};

test('an installation without logs needs no ClickHouse', () => {
  const needed = (withLogs: boolean) =>
    neededImages({ ...common, kind: 'deployment', images: {}, choices: { ...choices, withLogs } }, '1.2.3');
  expect(needed(true)).toHaveLength(6);
  expect(needed(false)).not.toContain(imageNames('1.2.3', {}).BERTH_CLICKHOUSE_IMAGE);
});

test('a runner alone needs the image of sandboxes of its deployment, and no other', () => {
  const runner = { name: 'two', address: '192.0.2.8', nodeUrl: 'https://192.0.2.7:8081', gateways: [] };
  const needed = (images: Record<string, string>) =>
    neededImages({ ...common, kind: 'runner', images, choices: runner }, '1.2.3');
  expect(needed({ BERTH_SANDBOX_IMAGE: 'debian:13' })).toEqual(['debian:13']);
  expect(needed({})).toEqual([]);
});
