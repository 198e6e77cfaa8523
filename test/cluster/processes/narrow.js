// A server with a backlog of one connection: narrow.js PATH
import { createServer } from 'node:net';

createServer((socket) => socket.on('error', () => {}).once('data', () => console.log('frames'))).listen(
  { path: process.argv[2], backlog: 1 },
  () => console.log('ready'),
);
