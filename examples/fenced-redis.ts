// A key that only the holder of a lock sets.
//   node examples/fenced-redis.ts redis://host:6379 TEXT
import { join } from 'batonjs';
import { fenceRedis } from 'batonjs/fences';
import { createClient } from 'redis';

const [, , url = 'redis://127.0.0.1:6379', text = ''] = process.argv;
const client = createClient({ url });
await client.connect();
await using group = await join('reports');
await using lock = await group.lock('summary');

const before = (await client.get('summary')) ?? '';
await fenceRedis(client, 'summary:fence', lock.fence, ['SET', 'summary', before + text]);
await client.close();
