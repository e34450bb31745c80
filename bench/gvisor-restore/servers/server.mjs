import { createServer } from 'node:http';

let requests = 0;
createServer((_, response) => {
  requests += 1;
  response.end(String(requests));
}).listen(8080);
