// A process inside a sandbox that detects losses: it counts requests, holds an unlinked file open, and listens on a
// port.
import type { Gateway } from './sleeping-runner.ts';

const port = 9_000;
const program = `
use IO::Socket::INET;
open(my $file, '+>', '/tmp/witness') or die; unlink '/tmp/witness'; print $file "kept"; $file->flush;
my $listener = IO::Socket::INET->new(LocalAddr => '0.0.0.0', LocalPort => ${port}, Listen => 512, Reuse => 1) or die;
my $count = 0;
while (my $client = $listener->accept) {
  while (my $line = <$client>) { last if $line =~ /^\\r?\\n$/ }
  $count++; seek($file, 0, 0); my $text = <$file>;
  my $body = "$count $text $$";
  print $client "HTTP/1.1 200 OK\\r\\nContent-Length: " . length($body) . "\\r\\nConnection: close\\r\\n\\r\\n$body";
  close $client;
}`;

export interface Sight {
  /** Number of requests so far, this one included. */
  readonly count: number;
  readonly file: string;
  readonly pid: string;
}

export async function startWitness(gateway: Gateway, instance: string) {
  await gateway.call(instance, 'PUT', '/filesystem//tmp/witness.pl', { content: program });
  const started = await gateway.call(instance, 'POST', '/process', {
    command: 'exec perl /tmp/witness.pl',
    name: 'witness',
    waitForPorts: [port],
    timeout: 30,
  });
  const { pid } = JSON.parse(started);
  return {
    pid: String(pid),
    async see(): Promise<Sight> {
      const [count, file = '', seen = ''] = (await gateway.call(instance, 'GET', '/', undefined, port)).split(' ');
      return { count: Number(count), file, pid: seen };
    },
  };
}
