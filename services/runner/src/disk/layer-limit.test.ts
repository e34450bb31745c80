import { expect, test } from 'vitest';
import { layerLimitMb } from './layer-limit.ts';

test.each([
  [['--overlay2=root:self,size=10g'], 10_240],
  [['--platform=systrap', '--overlay2=all:self,size=512m'], 512],
  [['-overlay2=root:dir=/var/lib/x,size=1048576'], 1],
  [['--overlay2=root:self,size=1g', '--overlay2=root:self,size=2g'], 2_048],
  [['--overlay2=root:self'], undefined],
  [['--overlay2=none'], undefined],
  [[], undefined],
])('the engine starts gVisor with %j: %s MB', (runtimeArguments, expected) => {
  expect(layerLimitMb(runtimeArguments)).toBe(expected);
});
