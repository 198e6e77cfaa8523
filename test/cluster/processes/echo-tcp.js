// A process with a transport over TCP that sends every frame back: echo-tcp.js OPTIONS-AS-JSON ID GROUP ADDRESS-OF-THE-OTHER
import { listenTcp } from '../../../dist/cluster/transport/tcp.js';

const [options, id, group, address] = process.argv.slice(2);
const transport = await listenTcp(JSON.parse(options), {
  id,
  group,
  listener: {
    received: (from, frame) => transport.send({ id: from, address, label: '', priority: 0 }, frame),
    closed: () => {},
    refused: (why) => console.log(why),
  },
});
console.log(`at ${transport.address}`);
console.log('ready');
