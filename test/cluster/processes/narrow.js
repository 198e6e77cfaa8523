// A process that lets in one at a time: narrow.js PATH
import { createServer } from 'node:net';

createServer((socket) => socket.on('error', () => {}).once('data', () => console.log('frames'))).listen(
  { path: process.argv[2], backlog: 1 },
  () => console.log('ready'),
);
