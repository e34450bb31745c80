import { Berth } from 'berth-sdk';
import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { readSettings, writeSettings } from '../settings.ts';

export const login: Command = {
  name: 'login',
  about: 'Keeps the address and the key of a deployment',
  options: {
    url: { about: 'address of the management API', value: 'address' },
    key: { about: 'API key', value: 'key' },
    gateway: { about: 'address of the gateway, where it is another than the deployment tells', value: 'address' },
    name: { about: 'name of the deployment; default where left out', value: 'name' },
  },
  examples: ['berth login --url https://api.example.com --key $KEY'],
  async run({ given, printer }) {
    const [url, key, name = 'default'] = [given.text('url'), given.text('key'), given.text('name')];
    if (url === undefined || key === undefined) throw new UsageError('Give --url and --key.');
    const [workspace, gatewayUrl] = [given.text('workspace'), given.text('gateway')];
    // Before it is kept: a wrong key should fail here.
    const workspaces = await new Berth({ url, key }).request('listWorkspaces');
    const { deployments } = readSettings();
    const path = writeSettings({
      current: name,
      deployments: { ...deployments, [name]: { url, key, workspace, gatewayUrl } },
    });
    printer.note(`Logged in to ${url}, which has ${workspaces.length} workspaces of yours. Kept in ${path}.`);
  },
};

export const logout: Command = {
  name: 'logout',
  about: 'Forgets a deployment',
  arguments: [{ name: 'name', isOptional: true, isRest: true }],
  async run({ given, printer }) {
    const { current, deployments } = readSettings();
    const name = given.rest()[0] ?? given.text('deployment') ?? current ?? '';
    if (!(name in deployments)) throw new UsageError(`There is no login "${name}".`);
    const { [name]: _, ...others } = deployments;
    writeSettings({ current: current === name ? Object.keys(others)[0] : current, deployments: others });
    printer.note(`Forgot ${name}. The key itself is still valid.`);
  },
};
