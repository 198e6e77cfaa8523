// A transport that sends every frame back: echo.js PATH-OR-TCP-OPTIONS-AS-JSON ID GROUP ADDRESS-OF-PEER KEY-OF-GROUP
import { listenTcp } from '../../../dist/cluster/transport/tcp.js';
import { listenUnix } from '../../../dist/cluster/transport/unix.js';

const [where, id, group, address, key = ''] = process.argv.slice(2);
const options = {
  id,
  group,
  listener: {
    received: (from, frame) => transport.send({ id: from, address, label: '', priority: 0 }, frame),
    closed: () => {},
    refused: (why) => console.log(why),
  },
};
const groupKey = async () => Buffer.from(key, 'hex');
const transport = await (where.startsWith('{')
  ? listenTcp({ ...JSON.parse(where), groupKey }, options)
  : listenUnix(where, options));
console.log(`at ${transport.address}`);
console.log('ready');
