import type { Command } from '../command.ts';

export const usage: Command = {
  name: 'usage',
  about: 'Shows usage and cost of the month so far',
  options: { account: { about: 'id of the account; the first one where left out', value: 'id' } },
  async run({ given, berth, printer }) {
    const api = await berth();
    const accountId = given.text('account') ?? (await api.request('listAccounts'))[0]?.id ?? '';
    const current = await api.request('getCurrentUsage', { params: { accountId } });
    printer.list(current.dimensions, [
      { title: 'dimension', of: ({ billingDimension }) => billingDimension },
      { title: 'usage', of: ({ usage: amount }) => amount },
      { title: 'cost', of: ({ cost }) => cost },
    ]);
  },
};
