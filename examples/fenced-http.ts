// A server whose documents only the holder of a lock puts: each request carries its fence.
//   node examples/fenced-http.ts
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { HttpFences } from 'batonjs/fences';

const documents = new Map<string, string>();
const fences = new HttpFences();

const server = createServer(async (request, response) => {
  const path = request.url ?? '/';
  if (request.method !== 'PUT') {
    response.end(documents.get(path));
    return;
  }
  const body = await text(request);
  const refusal = fences.refusal(path, request.headers); // 412: somebody was here with a higher fence
  if (refusal === null) documents.set(path, body); // nothing is waited for in between
  response.writeHead(refusal ?? 204).end();
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify(server.address())));
