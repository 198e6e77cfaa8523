// A process with a transport that sends every frame back: echo.js PATH ID GROUP ADDRESS-OF-THE-OTHER
import { listen } from '../../../dist/cluster/transport/unix.js';

const [path, id, group, address] = process.argv.slice(2);
const transport = await listen(path, {
  id,
  group,
  listener: {
    received: (from, frame) => transport.send({ id: from, address, label: '', priority: 0 }, frame),
    closed: () => {},
    refused: (why) => console.log(why),
  },
});
console.log('ready');
